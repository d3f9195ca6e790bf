import { formsOf } from '../language.js';

const { list, number, plural } = formsOf('ar');

/** @param {number} count */
const want = (count) => plural(count, { one: 'يريد', two: 'يريدان', other: 'يريدون' });

/** @type {typeof import('../moderation.js').moderationTexts} */
export const moderationTexts = {
  waiting: 'في انتظار الدخول…',
  waitingInLobby: 'يعلم المشرفون أنك هنا. ابقَ في هذه الصفحة: تدخل حالما يسمح أحدهم.',
  roles: { moderator: 'مشرف', listener: 'مستمع' },
  mutedByModerator: 'كتمه مشرف',
  ofGroup: (group) => `المجموعة ${group}`,
  interprets: (language) => `يترجم: ${language}`,
  nowModerates: (name) => `صار ${name} مشرفًا.`,
  cannotSpeak: 'أنت هنا مستمع، ولا يسمعك أحد. ارفع يدك لتطلب الكلام من مشرف.',
  onStage: 'أنت على المنصة وميكروفونك مكتوم. اضغط «إلغاء الكتم» ليسمعوك.',
  moderate: 'إشراف…',
  lowerTheirHand: 'خفض يده',
  handsUp: (count) =>
    plural(count, {
      one: 'مستمع واحد رفع يده.',
      two: 'مستمعان رفعا أيديهما.',
      few: `${number(count)} مستمعين رفعوا أيديهم.`,
      many: `${number(count)} مستمعًا رفعوا أيديهم.`,
      other: `${number(count)} مستمع رفعوا أيديهم.`,
    }),
  moreHands: (count) =>
    plural(count, {
      one: 'وشخص آخر',
      two: 'وشخصان آخران',
      other: `و${number(count)} آخرون`,
    }),
  letSpeak: 'السماح بالكلام',
  letSpeakName: (name) => `السماح بالكلام: ${name}`,
  lowerHandOf: (name) => `خفض يد ${name}`,
  roomPanel: 'الغرفة',
  knocked: (names) => `${want(names.length)} الدخول: ${list(names)}.`,
  letIn: 'السماح بالدخول',
  turnAway: 'رفض',
  letInName: (name) => `السماح بدخول ${name}`,
  turnAwayName: (name) => `رفض ${name}`,
  ruleSigns: { locked: 'مقفلة', lobby: 'بغرفة انتظار', password: 'بكلمة مرور' },
  e2eSign: 'مشفّرة من طرف إلى طرف',
  roomLocked: 'الغرفة مقفلة.',
  roomUnlocked: 'الغرفة مفتوحة من جديد.',
  chatClosed: 'يمكنك القراءة الآن، لا الكتابة. ارفع يدك، أو اسأل مشرفًا.',
  recordingClosed: 'لا يمكنك التسجيل هنا. يمكن لمشرف أن يسجّل، أو أن يسمح به.',
};

/** @type {typeof import('../moderation.js').moderators} */
export const moderators = { operator: 'مسؤول الخادم' };

/** @type {Readonly<Record<string, string>>} */
const roleNames = {
  moderator: 'أنت الآن مشرف على هذه الغرفة',
  speaker: 'يمكنك الآن الكلام. إن كان ميكروفونك مكتومًا فاضغط «إلغاء الكتم» ليسمعوك',
  listener: 'أنت الآن مستمع: تسمع الآخرين ولا يسمعونك',
};

/** @type {typeof import('../moderation.js').moderatedTexts} */
export const moderatedTexts = {
  muted: (by) =>
    (by === null ? 'ما زال أحد المشرفين يكتمك. ' : `كتمك ${by}. `) + 'ارفع يدك لتطلب الكلام.',
  'may-unmute': (by) => `سمح لك ${by} بالكلام من جديد. اضغط «إلغاء الكتم» متى شئت.`,
  'hand-lowered': (by) => `خفض ${by} يدك.`,
  role: (by, role) =>
    `${by === null ? '' : `غيّر ${by} دورك. `}${roleNames[role] ?? roleNames.speaker}.`,
};
