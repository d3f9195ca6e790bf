import { formsOf } from '../language.js';
import { connectionNames } from '../units.js';

const { list, number, plural } = formsOf('ar');

/** @param {number} count */
const speak = (count) => plural(count, { one: 'يتكلم', two: 'يتكلمان', other: 'يتكلمون' });

/** @type {typeof import('../listen.js').listenTexts} */
export const listenTexts = {
  tabTitle: (room) => `${room} · aloud`,
  listen: 'استماع',
  pause: 'إيقاف مؤقت',
  starting: 'جارٍ البدء…',
  cancel: 'إلغاء',
  listeners: (count) =>
    plural(count, {
      zero: 'لا مستمعين',
      one: 'مستمع واحد',
      two: 'مستمعان',
      few: `${number(count)} مستمعين`,
      many: `${number(count)} مستمعًا`,
      other: `${number(count)} مستمع`,
    }),
  speaking: (names) =>
    names.length === 0 ? 'لا أحد يتكلم.' : `${speak(names.length)}: ${list(names)}.`,
  otherSound: 'موسيقى، أو صوت آخر بلا كلام.',
  onStage: (names) =>
    names.length === 0 ? 'لا أحد يتكلم بعد. ستسمع أول من يتكلم.' : `على المنصة: ${list(names)}`,
  artist: (isLive, names) =>
    [...(isLive ? ['مباشر'] : []), ...(names.length > 0 ? [list(names)] : ['aloud'])].join(' · '),
  name: 'اسمك',
  nameHint: 'يراه المشرفون عندما ترفع يدك. يمكنك تركه فارغًا.',
  nameInvited: 'هذا الاسم من دعوتك. يراه المشرفون عندما ترفع يدك.',
  listenerName: 'مستمع',
  password: 'كلمة مرور الغرفة',
  volume: 'مستوى الصوت',
  near: 'التأخير',
  nearness: { conversation: 'مباشر', near: 'بعد قليل', steady: 'ثابت' },
  nearnessHints: {
    conversation: 'في أقرب وقت: لمن قد يجيب.',
    near: 'متأخر ربع ثانية، بانقطاعات أقل.',
    steady: 'متأخر ثانيتين، وكامل حتى على شبكة سيئة.',
  },
  hand: 'رفع اليد',
  handUp: 'خفض اليد',
  details: 'الاتصال',
  quality: (kbps, transport, delayMs) => {
    const delay = delayMs === null ? '' : `، يُسمع بعد ${(delayMs / 1000).toFixed(1)} ثانية`;
    return `${Math.round(kbps)} kb/s عبر ${connectionNames[transport] ?? transport}${delay}`;
  },
  wholePage: 'افتح الصفحة الكاملة مع الدردشة',
  openRoom: 'افتح الغرفة',

  notOpen: 'هذه الغرفة لم تُفتح بعد. اضغط «استماع» وستسمعها حالما يتكلم أحد.',
  ready: 'اضغط «استماع». لا حاجة إلى ميكروفون.',
  playing: 'أنت تستمع.',
  paused: 'متوقف مؤقتًا. لا يُحمّل شيء الآن.',
  resumed: 'عدت إلى الاستماع.',
  reconnecting: 'انقطع الاتصال. ابقَ في هذه الصفحة: تُعيد الاتصال.',
  reconnectingLong: 'لا اتصال منذ مدة. تحقق من شبكة هذا الجهاز: يعود الصوت حالما تتوفر.',
  waiting: 'يعلم المشرفون أنك هنا. ستسمع الغرفة حالما يُدخلك أحدهم.',
  pressForSound: 'المتصفح يحجب الصوت. اضغط في أي مكان من هذه الصفحة.',
  interrupted: 'شيء آخر يستخدم صوت هذا الجهاز. يعود تلقائيًا، أو عندما تضغط في أي مكان.',
  handRaised: 'يدك مرفوعة، ويراها المشرفون.',
  handLowered: 'يدك مخفوضة.',
  handTaken: 'خفض أحد المشرفين يدك.',
  fromBeginning: 'هذا يُسجَّل. استمع من البداية',
  broadcastOver: 'انتهى البث. ما زلت تسمع الغرفة.',
  joinCall: 'انضم إلى المكالمة',
  ontoStage: 'يمكنك الكلام الآن. تُحمّل صفحة المكالمة…',
  stageFailed:
    'يمكنك الكلام الآن، لكن تعذّر تحميل صفحة المكالمة. تحقق من شبكتك، ثم اضغط «إلى المنصة».',
  goOnStage: 'إلى المنصة',
  stageElsewhere: 'يمكنك الكلام الآن، في صفحة الغرفة.',
  draining: 'الخادم على وشك إعادة التشغيل. يعود الصوت تلقائيًا.',
  loadFailed: 'تعذّر تحميل جزء من هذه الصفحة. تحقق من شبكتك، ثم اضغط «استماع» مرة أخرى.',
  failed: 'حدث خطأ. تحقق من شبكتك، ثم اضغط «استماع» مرة أخرى.',
};
