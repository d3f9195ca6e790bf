import { formsOf } from '../language.js';
import { timeText } from '../units.js';

const { plural } = formsOf('ar');

/** @type {typeof import('../pages.js').recordingPageTexts} */
export const recordingPageTexts = {
  title: (room) => `${room} · تسجيل · aloud`,
  chapters: 'من تحدّث',
  noChapters: 'لم يتحدّث طويلًا أحدٌ ممن وافقوا على التسجيل.',
  files: 'تنزيل',
  play: 'تشغيل',
  pause: 'إيقاف مؤقت',
  position: 'الموضع',
  positionOf: (at, all) => `${timeText(at)} من ${timeText(all)}`,
  back: 'إلى الوراء',
  ahead: 'إلى الأمام',
  speed: 'السرعة',
  live: 'مباشر',
  toLive: 'الانتقال إلى البث المباشر',
  running: 'يجري التسجيل الآن',
  copyMoment: 'رابط إلى هذه اللحظة',
  copied: (at) => `نُسخ الرابط إلى ${timeText(at)}.`,
  notCopied: 'تعذّر نسخ الرابط. ستجده في شريط العنوان.',
  waiting: 'جارٍ التحميل…',
  failed: 'تعذّر تحميل الصوت. تحقّق من الاتصال ثم اضغط «تشغيل».',
  cannotPlay: 'لا يستطيع هذا المتصفح تشغيل التسجيل. نزّله بدلًا من ذلك.',
  transcript: 'ما قيل',
  search: 'ابحث فيما قيل',
  found: (count) =>
    plural(count, {
      zero: 'لا مواضع',
      one: 'موضع واحد',
      two: 'موضعان',
      few: `${count} مواضع`,
      many: `${count} موضعًا`,
      other: `${count} موضع`,
    }),
  transcriptAsFile: 'ما قيل، كتسميات توضيحية',
  mix: 'الجميع معًا',
  mixAsWebm: 'الجميع معًا، بصيغة WebM',
  overWebTransport: (rate) =>
    rate === 0 ? 'عبر WebTransport' : `عبر WebTransport، بمعدل ${Math.round(rate / 1000)} kb/s`,
  overHttp: 'عبر HTTP',
  missing: 'لا يوجد تسجيل كهذا. ربما كان الرابط ناقصًا، أو حُذف التسجيل.',
  deleted: 'حُذف هذا التسجيل.',
  unreachable: 'تعذّر الوصول إلى الخادم. تحقّق من الاتصال ثم أعد تحميل الصفحة.',
};

/** @type {typeof import('../pages.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'افتح غرفة أو انضم إلى واحدة',
  reasons: {
    'not-found': 'لا يوجد شيء في هذا العنوان.',
    'empty-room': 'لا أحد في هذه الغرفة. حاول مرة أخرى عندما يدخلها أحد.',
    banned: 'منعك أحد المشرفين من هذه الغرفة مدة.',
    internal: 'وقع خطأ في الخادم، وهو في سجله.',
  },
};
