import { formsOf } from '../language.js';
import { connectionNames, sizeText, timeText } from '../units.js';

const { list, number, plural } = formsOf('ar');

/** @param {number} count */
const people = (count) =>
  plural(count, {
    zero: 'لا أحد',
    one: 'شخص واحد',
    two: 'شخصان',
    few: `${number(count)} أشخاص`,
    many: `${number(count)} شخصًا`,
    other: `${number(count)} شخص`,
  });

/** @param {number} count */
const speak = (count) => plural(count, { one: 'يتكلم', two: 'يتكلمان', other: 'يتكلمون' });

/** @param {number} count */
const characters = (count) =>
  plural(count, {
    one: 'حرف واحد',
    two: 'حرفين',
    few: `${number(count)} أحرف`,
    many: `${number(count)} حرفًا`,
    other: `${number(count)} حرف`,
  });

/** @type {typeof import('../call.js').callTexts} */
export const callTexts = {
  you: 'أنت',
  muted: 'مكتوم',
  away: 'غائب: انقطع الاتصال، وقد يعود',
  handRaised: 'اليد مرفوعة',
  notRecorded: 'لا يُسجَّل',
  sharedBy: (name) => `يشاركه ${name}`,
  shareCame: (name) => `يشارك ${name} صوتًا.`,
  shareWent: (name) => `لم يعد ${name} يشارك صوتًا.`,
  waited: (ms) => `يتأخر ${Math.round(ms)} م‌ث: صوت الجميع ينتظر`,
  later: (ms) => `يُسمع بعد الآخرين بـ ${Math.round(ms)} م‌ث`,
  youLater: (ms) => `يسمعك الآخرون متأخرًا ${Math.round(ms)} م‌ث`,
  heardAfter: (ms) => `يُسمع بعد قوله بـ ${Math.round(ms)} م‌ث`,
  waitedFor: (names) => `التأخير أطول مما يحتاجه معظمكم، لأن صوت ${list(names)} يصل متأخرًا.`,
  mute: 'كتم',
  unmute: 'إلغاء الكتم',
  talking: 'تتكلم',
  raiseHand: 'رفع اليد',
  lowerHand: 'خفض اليد',
  linkCopied: 'نُسخ الرابط',
  dismiss: 'إغلاق',
  tryNow: 'حاول الآن',
  trying: 'تُجرى المحاولة…',
  tryingIn: (seconds) => `محاولة جديدة بعد ${seconds} ث.`,
  close: 'إغلاق',
  reconnected: 'عاد الاتصال.',
  offline: 'انقطع الاتصال',
  titleOffline: 'انقطع الاتصال',
  useIt: 'استخدامه',
  deviceNew: (device) => `تم توصيل ${device}. استخدمه، أو تابع كما كنت.`,
  otherTab: {
    title: 'أنت في هذه الغرفة بالفعل',
    text:
      'علامة تبويب أخرى أو نافذة أخرى من هذا المتصفح في المكالمة، وستسمع كل منهما الأخرى. انقل ' +
      'المكالمة إلى هنا فتغادر الأخرى.',
    yes: 'نقلها إلى هنا',
    no: 'إلغاء',
  },
  keysTitle: 'المفاتيح أثناء المكالمة',
  keysHint: 'لا تعمل أثناء الكتابة، ويمكن إيقافها من «الإعدادات».',
  showKeys: 'عرض كل المفاتيح',
  keys: [
    ['M', 'كتم ميكروفونك أو إلغاء كتمه'],
    ['المسافة مع الاستمرار', 'التحدث والميكروفون مكتوم'],
    ['H', 'رفع اليد أو خفضها'],
    ['C', 'فتح الدردشة أو إغلاقها'],
    ['?', 'عرض هذه المفاتيح'],
    ['Esc', 'إغلاق المفتوح'],
  ],
  qrTitle: 'امسح لتنضم',
  qrLabel: 'رمز QR لرابط هذه الغرفة',
  youJoined: 'أنت في المكالمة.',
  youLeft: 'غادرت المكالمة.',
  howBack: 'غادرت المكالمة. يمكنك الانضمام في أي وقت بالرابط نفسه.',
  youMuted: 'ميكروفونك مكتوم.',
  youUnmuted: 'لم يعد ميكروفونك مكتومًا.',
  more: (name) => `خيارات ${name}`,
  sideLeft: 'يسار',
  sideRight: 'يمين',
  placeOf: (name) => `موضع ${name}، من اليسار إلى اليمين`,
  place: (percent) =>
    percent === 0 ? 'في الوسط' : `${Math.abs(percent)}% إلى ${percent < 0 ? 'اليسار' : 'اليمين'}`,
  volumeOf: (name) => `مستوى صوت ${name}`,
  muteForMe: 'كتم لي وحدي',
  mutedForYou: 'مكتوم لك',
  quality: ['', 'اتصال سيئ', 'اتصال متوسط', 'اتصال جيد'],
  people,
  listenersToo: (count) =>
    plural(count, {
      zero: 'لا مستمعين',
      one: 'مستمع واحد',
      two: 'مستمعان',
      few: `${number(count)} مستمعين`,
      many: `${number(count)} مستمعًا`,
      other: `${number(count)} مستمع`,
    }),
  speaking: (names) =>
    names.length === 0 ? 'لا أحد يتكلم' : `${speak(names.length)}: ${list(names)}`,
  manyCame: (count) => `انضم ${people(count)}.`,
  manyLeft: (count) => `غادر ${people(count)}.`,
  soundOn: 'تشغيل الصوت',
  listenFirst: 'الاستماع الآن',
  joined: (name) => `انضم ${name}.`,
  left: (name) => `غادر ${name}.`,
  nowMuted: (name) => `ميكروفون ${name} مكتوم.`,
  nowUnmuted: (name) => `لم يعد ميكروفون ${name} مكتومًا.`,
  nowAway: (name) => `انقطع اتصال ${name}.`,
  nowBack: (name) => `عاد ${name}.`,
  raisedHand: (name) => `رُفعت يد ${name}.`,
  loweredHand: (name) => `خُفضت يد ${name}.`,
  connectedOver: (connection) => `متصل عبر ${connectionNames[connection] ?? connection}`,
  notTaken: (connection, reason) => `جُرّب ${connectionNames[connection]} أولًا. ${reason}`,
  roundTrip: (ms) => `ذهابًا وإيابًا ${Math.round(ms)} م‌ث`,
  received: (percent) => `استُلم ${percent.toFixed(percent >= 99.95 ? 0 : 1)}%`,
  delay: (ms) => `التأخير ${Math.round(ms)} م‌ث`,
};

/** @type {typeof import('../call.js').chatTexts} */
export const chatTexts = {
  chatLog: 'الرسائل',
  chatEmpty: 'لم يُكتب شيء بعد. يرى الرسائل كل من في الغرفة، ومن ينضم لاحقًا أيضًا.',
  chatField: 'رسالة إلى الجميع',
  chatPlaceholder: 'اكتب إلى الجميع',
  send: 'إرسال',
  showAll: 'عرض الكل',
  showLess: 'عرض أقل',
  messageCut: 'كانت هذه الرسالة أطول، فاقتُطع آخرها.',
  chatFrom: (name, text) => `كتب ${name}: ${text}`,
  charactersLeft: (count) => `بقي متسع لـ ${characters(count)}.`,
  tooLong: (count) => `أطول من المسموح بـ ${characters(count)}. اختصرها، أو أرسلها في رسالتين.`,
  chatUnread: (count) => `${number(count)} غير مقروءة`,
};

/** @type {typeof import('../call.js').recordingTexts} */
export const recordingTexts = {
  recordingOn: 'يجري التسجيل',
  recordButtonOn: 'تسجيل: هناك تسجيل جارٍ',
  recordingIdle: 'لا شيء يُسجَّل. عندما تبدأ يُسأل الجميع، ولا يُسجَّل إلا من يوافق.',
  recordingFinishing: 'توقف التسجيل. تُستكمل ملفاته.',
  recordingReady: 'ملفات التسجيل جاهزة.',
  startRecording: 'بدء التسجيل',
  stopRecording: 'إيقاف التسجيل',
  recordMe: 'سجّل صوتي',
  recordPublic: 'يمكن لأي أحد سماعه',
  recordingPage: 'صفحة التسجيل',
  recordedFiles: 'الملفات',
  recordedMix: 'الجميع معًا',
  filesHint: 'Ogg Opus. يحذفها الخادم بعد مدة: نزّل ما تريد الاحتفاظ به.',
  consent: (name) => ({
    title: 'هذه الغرفة تُسجَّل',
    text: `بدأ ${name} تسجيلًا. لا يُحفظ صوتك إلا إذا وافقت. ` + 'ولك تغيير ذلك من «تسجيل».',
    yes: 'أوافق',
    no: 'لا تسجّلني',
  }),
  recordingSince: (name, time) => `يسجّل ${name} منذ ${time}.`,
  recordingBegan: (name) => `بدأ ${name} التسجيل.`,
  recordingEnded: (name) => `أوقف ${name} التسجيل.`,
  recordedPeople: (names) => (names.length === 0 ? 'لا أحد يُسجَّل.' : `يُسجَّل: ${list(names)}.`),
  fileSize: (since, seconds, bytes) => `${since}، ${timeText(seconds)}، ${sizeText(bytes)}`,
};
