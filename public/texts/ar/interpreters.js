/** @type {typeof import('../interpreters.js').interpreterTexts} */
export const interpreterTexts = {
  label: 'اللغة',
  floor: 'الصوت الأصلي',
  hint: 'يُسمع المترجم فوق المتحدثين، ويخفت صوتهم ما دام يتكلم.',
  into: 'يترجم إلى',
  nobody: 'بلا لغة: يسمعه الجميع',
  set: 'تعيين اللغة',
  intoHint: 'لا يسمع المترجم إلا من اختار لغته.',
};
