/** @type {typeof import('../error-page.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'افتح غرفة أو انضم إلى واحدة',
  reasons: {
    'not-found': 'لا يوجد شيء في هذا العنوان.',
    'empty-room': 'لا أحد في هذه الغرفة. حاول مرة أخرى عندما يدخلها أحد.',
    banned: 'منعك أحد المشرفين من هذه الغرفة مدة.',
    internal: 'وقع خطأ في الخادم، وهو في سجله.',
  },
};
