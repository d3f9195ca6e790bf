import { formsOf } from '../language.js';
import { timeText } from '../units.js';

const { plural } = formsOf('ar');

/** @param {number} bpm */
const beats = (bpm) => plural(bpm, { few: `${bpm} نبضات`, other: `${bpm} نبضة` });

/** @type {typeof import('../sound.js').partTexts} */
export const partTexts = {
  microphoneMs: 'ميكروفونات الآخرين',
  frameMs: 'امتلاء إطار',
  serverDelayMs: 'تأخير الخادم',
  wayMs: 'الطريق عبر الشبكة',
  playoutMs: 'مخزن التشغيل',
  outputMs: 'انتظار بطاقة الصوت',
  codecMs: 'استباق المرمّز',
  laterMs: 'تأخير إضافي للمتأخرين',
  speakerMs: 'بطاقة الصوت والمكبر',
};

/** @type {typeof import('../sound.js').savingTexts} */
export const savingTexts = {
  frameMs: 'ابدأ الغرفة بإطارات من 2.5 م‌ث',
  serverDelayMs: 'اطلب ممن يتأخر صوتهم استخدام كابل بدل Wi-Fi',
  playoutMs: 'استخدم كابلًا لا Wi-Fi، وأغلق ما يشغل هذا الحاسوب',
  outputMs: 'استخدم بطاقة صوت تأخذ الصوت قطعًا أصغر، ولا تستخدم Bluetooth',
  speakerMs: 'استخدم مكبرات أو سماعات سلكية، لا Bluetooth',
};

/** @type {typeof import('../sound.js').figureTexts} */
export const figureTexts = {
  received: 'الصوت المستلَم، إجمالًا',
  received10s: 'الصوت المستلَم، آخر 10 ث',
  lost: 'حزم مفقودة',
  late: 'حزم متأخرة',
  early: 'حزم مبكرة جدًا',
  duplicate: 'حزم مكررة',
  concealed: 'إطارات معوَّضة',
  recovered: 'إطارات مستعادة من التكرار',
  gaps: 'انقطاعات عند المكبر',
  jitter: 'التذبذب وما يحتاجه',
  drift: 'انحراف بطاقة الصوت',
};

/** @type {typeof import('../sound.js').soundTexts} */
export const soundTexts = {
  soundSum: 'تأخر ما تسمعه',
  soundSumHint: 'يشمل تأخير الخادم طريق المتكلم إلى الخادم.',
  soundSumDevices: 'لا يشمل ما تضيفه ميكروفونات الآخرين.',
  soundSumNoDevices: 'هذا من دون بطاقات الصوت: متصفحك لا يذكر ما تضيفه بطاقتك.',
  ownMicrophone: (ms) => `يضيف ميكروفونك ${ms} إلى ما يسمعه الآخرون منك.`,
  ownSuppression: (ms) => `${ms} من تأخير صوتك سببها خفض الضوضاء.`,
  savings: 'ما يقصّره',
  saves: (part, ms) => `${savingTexts[part]}: حتى ${ms} م‌ث.`,
  savesNothing: 'لا شيء يفيد كثيرًا: التأخير هنا قصير بقدر الإمكان تقريبًا.',
  metronome: 'بندول الإيقاع',
  metronomeBpm: 'نبضات في الدقيقة',
  metronomeBeats: 'نبضات في المازورة',
  metronomeStart: 'بدء للجميع',
  metronomeStop: 'إيقاف للجميع',
  metronomeTap: 'انقر السرعة',
  metronomeHeard: 'أسمعه',
  metronomeOff: 'متوقف.',
  metronomeBy: (name, bpm) => `ضبطه ${name}: ${beats(bpm)} في الدقيقة.`,
  metronomeBegan: (name, bpm) => `شغّل ${name} بندول الإيقاع: ${beats(bpm)} في الدقيقة.`,
  metronomeEnded: (name) => `أوقف ${name} بندول الإيقاع.`,
  metronomeHint:
    'يسمع الجميع كل نبضة في اللحظة نفسها مهما كان تأخيرهم. إن عزفت على النبضة سمعك الآخرون ' +
    'عليها. لضبط السرعة اضغط «انقر السرعة» مع كل نبضة. استخدم سماعات رأس، وإلا التقطه ' +
    'الميكروفون.',
  share: 'مشاركة صوت',
  shareNone: 'لا تشارك أي صوت.',
  shareTab: 'مشاركة صوت علامة تبويب',
  shareFile: 'مشاركة صوت ملف',
  shareStop: 'إيقاف المشاركة',
  shareReading: 'يُقرأ الملف.',
  shareBegins: 'يبدأ الآن…',
  shareOver: 'انتهى: لم يعد يسمعه أحد.',
  shareOfTab: 'صوت علامة تبويب',
  shareOfFile: 'صوت ملف',
  shareHint:
    'يُرسل مع صوتك بلا معالجة. يراه الجميع بجانبك ويضبطون مستواه. حدّد «مشاركة صوت علامة ' +
    'التبويب أيضًا» عندما يسأل المتصفح. تستمر علامة التبويب في التشغيل هنا؛ استخدم سماعات ' +
    'رأس، وإلا التقطه الميكروفون.',
  shareFileHint:
    'يُرسل مع صوتك بلا معالجة. يراه الجميع بجانبك ويضبطون مستواه. لا يستطيع هذا المتصفح ' +
    'مشاركة صوت علامة تبويب؛ يستطيع ذلك Chrome وEdge على حاسوب.',
  shareOn: (name) => `يسمع الجميع «${name}» مع صوتك.`,
  track: 'موسيقى مرافقة',
  trackNone: 'لا توجد.',
  trackBy: (name, track, seconds) => `«${track}»، ${timeText(seconds)}، من ${name}.`,
  trackChoose: 'اختيار ملف',
  trackOther: 'اختيار ملف آخر',
  trackSending: 'يُقرأ الملف ويُرسل.',
  trackPlay: 'تشغيل للجميع',
  trackAgain: 'من البداية',
  trackStop: 'إيقاف للجميع',
  trackRemove: 'إزالة',
  trackLevel: 'مستواها عندي',
  trackCame: (name, track) => `أضاف ${name} الموسيقى المرافقة «${track}».`,
  trackBegan: (name) => `يشغّل ${name} الموسيقى المرافقة.`,
  trackStopped: (name) => `أوقف ${name} الموسيقى المرافقة.`,
  trackOver: 'انتهت الموسيقى المرافقة.',
  trackRemoved: (name) => `أزال ${name} الموسيقى المرافقة.`,
  trackHint:
    'يسمعها الجميع في اللحظة نفسها، كبندول الإيقاع، ويمكنهم العزف معها. ما دام البندول يعمل ' +
    'تبدأ مع مازورة، بعد مازورة من النبضات. لا تدخل في أي تسجيل. استخدم سماعات رأس، وإلا ' +
    'التقطها الميكروفون.',
  own: 'التسجيل على هذا الجهاز',
  ownNone: 'لا يُسجَّل شيء على هذا الجهاز.',
  ownStart: 'تسجيل ميكروفوني',
  ownStop: 'إيقاف وحفظ',
  ownOn: 'يُسجَّل ميكروفونك على هذا الجهاز.',
  ownKept: 'الملف محفوظ في هذا المتصفح. نزّله لتستخدمه في مكان آخر.',
  ownFiles: 'التسجيلات على هذا الجهاز',
  ownDownload: 'تنزيل',
  ownGive: 'إضافة إلى تسجيل الغرفة',
  ownDelete: 'حذف',
  ownSending: (percent) => `جارٍ الإرسال: ${percent}%`,
  ownSent: 'الملف الآن مع تسجيل الغرفة.',
  ownHint:
    'ملف WAV بعمق 24 بت لصوت ميكروفونك قبل ضغطه. يستمر عند انقطاع الاتصال، ويكون صامتًا ما دام ' +
    'ميكروفونك مكتومًا. يعرف كل ملف مكانه على ساعة الغرفة، فتستطيع برامج التحرير محاذاة ملفات ' +
    'كل الأجهزة.',
  ownUnsupported: 'لا يستطيع هذا المتصفح حفظ ملف كهذا. استخدم متصفحًا حديثًا عبر HTTPS.',
  panelLoading: 'جارٍ التحميل…',
  plotsLoading: 'جارٍ التحميل…',
  plotRoundTrip: 'ذهابًا وإيابًا',
  plotReceived: 'الصوت المستلَم',
  plotServerDelay: 'تأخير الخادم',
  plotPlayoutDelay: 'تأخير التشغيل',
  plotLoss: 'حزم مفقودة',
  plotRate: 'معدل البت',
  up: 'إرسال',
  down: 'استقبال',
  lossUp: 'حزم مفقودة، إرسال',
  lossDown: 'حزم مفقودة، استقبال',
  rateUp: 'معدل البت، إرسال',
  rateDown: 'معدل البت، استقبال',
  figures: 'منذ الانضمام',
  lateness: 'كم تأخر وصول صوتك إلى الخادم في آخر 20 ث',
  latenessUpTo: (ms) => `حتى ${ms} م‌ث`,
  latenessOver: 'أكثر',
  copyAsText: 'نسخ كنص',
  copied: 'نُسخ',
  saveAsCsv: 'حفظ الإحصاءات بصيغة CSV',
  saveAsJson: 'حفظ الإحصاءات بصيغة JSON',
  soundAge: (age) => `تسمع الآخرين متأخرين ${age}`,
  plotLabel: (title, value) => `${title}، آخر دقيقتين. الآن ${value}.`,
  reportTitle: (room, at) => `aloud، غرفة ${room}، ${at}`,
  operator: 'للمسؤول',
  operatorHint: 'برمز مسؤول الخادم تضبط التأخير لكل من في الغرفة.',
  operatorToken: 'رمز المسؤول',
  operatorUse: 'استخدام',
  operatorAuto: 'تأخير تلقائي',
  operatorDelay: 'تأخير الغرفة في الخادم',
};
