import { formsOf } from '../language.js';

const { number, plural } = formsOf('ar');

/** @param {number} count */
const listeners = (count) =>
  plural(count, {
    one: 'مستمع واحد',
    two: 'مستمعين',
    few: `${number(count)} مستمعين`,
    many: `${number(count)} مستمعًا`,
    other: `${number(count)} مستمع`,
  });

/** @type {typeof import('../room-panel.js').panelTexts} */
export const panelTexts = {
  moderatePerson: (name) => `الإشراف على ${name}`,
  muteForAll: 'كتم للجميع',
  muteForAllHint: 'لا يستطيع إلغاء كتمه حتى تسمح به.',
  allowToSpeak: 'السماح بالكلام',
  allowToSpeakHint: 'يبقى مكتومًا حتى يلغي كتمه بنفسه.',
  role: 'الدور',
  roleNames: { moderator: 'مشرف', speaker: 'متحدث', listener: 'مستمع' },
  changeRole: 'تغيير الدور',
  roleHint: 'للمشرف كل ما لك من صلاحيات. المستمع يسمع ويكتب ويرفع يده، ولا يُسمع.',
  remove: 'إخراج من الغرفة',
  removeHint: 'يمكنه الانضمام من جديد.',
  banFor: 'منعه من الدخول لمدة',
  banTimes: [
    [3600, 'ساعة'],
    [86_400, 'يوم'],
    [7 * 86_400, 'أسبوع'],
    [30 * 86_400, 'ثلاثين يومًا'],
  ],
  removeAndBan: 'إخراج ومنع',
  banHint: 'بحسب دعوته؛ وإن لم تكن له دعوة فبحسب شبكته، وقد تكون شبكة منزل أو شركة بأكملها.',
  listeners: 'البحث عن مستمع',
  listenersShown: (shown, count) =>
    count === 0
      ? 'لا مستمعين.'
      : shown === 0
        ? `لا أحد بهذا الاسم من ${listeners(count)}.`
        : `${number(shown)} من ${listeners(count)}`,
  moreListeners: 'التالي',
  firstListeners: 'من البداية',
  copyListenLink: 'نسخ رابط المستمعين',
  removeListener: 'إخراج',
  removeName: (name) => `إخراج ${name}`,
  lock: 'قفل الغرفة',
  lockHint: 'لا يستطيع أحد غير الموجودين الانضمام. من ينقطع اتصاله يمكنه العودة.',
  lobby: 'غرفة الانتظار',
  lobbyHint: 'ينتظر القادمون حتى تُدخلهم. عند إيقافها يدخل كل المنتظرين.',
  chatPermission: 'من يمكنه الكتابة',
  recordPermission: 'من يمكنه التسجيل',
  allowed: { everybody: 'الجميع', moderators: 'المشرفون' },
  mode: 'كيف يصل الصوت إلى الجميع',
  modes: {
    mix: 'يمزجه الخادم',
    forward: 'يُمرَّر، وتمزجه كل صفحة',
    auto: 'يُمرَّر في الغرف الصغيرة، وإلا يُمزج',
  },
  modeHint: 'عند التمرير يبقى الصوت كما أُرسل، لكن كل صفحة تحتاج إلى نطاق ومعالجة أكثر.',
  modeE2e: 'هذه الغرفة مشفّرة من طرف إلى طرف: يُمرَّر صوتها، ولا يستطيع الخادم مزج شيء أو تسجيله.',
  password: 'كلمة المرور',
  passwordSet: 'للغرفة كلمة مرور. اكتب غيرها لتغييرها.',
  passwordNone: 'ليس للغرفة كلمة مرور. يبقى الموجودون عندما تضع واحدة.',
  setPassword: 'وضع كلمة مرور',
  dropPassword: 'إزالة كلمة المرور',
  bans: 'قائمة المنع',
  ban: ({ name, by, identity, network }, end) => {
    const cause = by === 'identity' ? `الدعوة ${identity}` : `الشبكة ${network}`;
    return `${name}، بحسب ${cause}، حتى ${end}`;
  },
  unban: 'السماح من جديد',
  unbanName: (name) => `السماح من جديد: ${name}`,
  stepDown: 'ترك الإشراف',
  lastModerator: 'أنت المشرف الوحيد. لتسليم ذلك اجعل شخصًا مشرفًا من خيارات اسمه.',
  endForAll: 'إنهاء المكالمة للجميع',
  endQuestion: {
    title: 'إنهاء المكالمة للجميع؟',
    text: 'يغادر الجميع، وأنت منهم. ويُنسى ما ضبطته للغرفة.',
    yes: 'إنهاء',
    no: 'متابعة',
  },

  goLive: 'بدء البث',
  endBroadcast: 'إنهاء البث',
  offHint: 'تصير الغرفة بثًا: يبقى الموجودون على المنصة، ومن يأتي برابط الغرفة يستمع فقط.',
  onHint:
    'الغرفة في بث. من يأتي برابطها يستمع فقط. عند إنهائه يستطيع القادمون الجدد الكلام، ويبقى ' +
    'المستمعون مستمعين حتى ينضموا من جديد.',
  makeStreamKey: 'السماح لبرنامج بإرسال الصوت',
  newStreamKey: 'إنشاء مفتاح جديد',
  revokeStreamKey: 'إبطال المفتاح',
  streamOffHint:
    'تستطيع Mixxx وbutt وLiquidsoap وffmpeg وغيرها مما يرسل إلى خادم Icecast أن ترسل إلى هذه ' +
    'الغرفة. يتيح المفتاح لواحد منها الصعود إلى المنصة.',
  streamOnHint:
    'اختر في البرنامج Icecast وOpus وهذا العنوان والمستخدم «source»، واجعل المفتاح كلمة ' +
    'المرور. مفتاح جديد، أو إبطاله، يُنهي ما يُرسل.',
  streamAddress: 'العنوان للبرنامج',
  copyStreamAddress: 'نسخ العنوان',
  streamAddressCopied: 'نُسخ العنوان.',
  copyStreamKey: 'نسخ المفتاح',
  streamKeyCopied: 'نُسخ المفتاح. من يملكه يستطيع إرسال الصوت إلى هذه الغرفة.',
  copyStageLink: 'نسخ رابط المنصة',
  stageLinkHint: 'كل من لديه هذا الرابط يستطيع الكلام. وللبث التالي رابط جديد.',
};
