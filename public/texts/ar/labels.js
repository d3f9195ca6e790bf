/** @type {typeof import('../labels.js').labels} */
export const labels = {
  startTitle: 'قلها',
  startTitleEnd: 'بصوت عالٍ.',
  startLead: 'افتح غرفة، أرسل الرابط، وتحدّث. لا شيء للتثبيت، ولا حساب.',
  startRoom: 'افتح غرفة',
  startEncrypted: 'افتح غرفة مشفّرة',
  startEncryptedHint:
    'من طرف إلى طرف: لا يسمع إلا من لديه الرابط كاملًا، والخادم لا يسمع. ولا تسجيل.',
  joinRoom: 'أو انضم إلى غرفة',
  roomPlaceholder: 'اسمها أو رابطها',
  goToRoom: 'إلى الغرفة',
  lab: 'المختبر',
  labHint: 'يقيس الوقت الذي يستغرقه الصوت من هنا إلى هذا الخادم ذهابًا وإيابًا.',

  room: 'الغرفة',
  name: 'الاسم',
  join: 'انضمام',
  cancelJoin: 'إلغاء',
  roomPassword: 'كلمة مرور الغرفة',
  knocks: 'أشخاص يريدون الدخول',
  hands: 'مستمعون رفعوا أيديهم',
  joinHint: 'يُشغَّل ميكروفونك عند انضمامك، ولا يُشغَّل أبدًا قبل أن تطلب.',
  yourSound: 'صوتك',
  soundSettings: 'إعدادات الصوت',
  advanced: 'متقدّم',
  frameLength: 'طول الإطار',
  frameAuto: 'تلقائي: كما يحدّده الخادم',
  frame20: '20 م‌ث: أقل عدد من الحزم',
  frame10: '10 م‌ث: تأخير أقل',
  frame5: '5 م‌ث: للعزف معًا',
  frame2: '2.5 م‌ث: أقل تأخير، بالكابل فقط',
  frameHint:
    'يُعتمد اختيارك إن كنت أول من يدخل الغرفة، ويسري على الجميع. الإطارات الأقصر تُسمع أبكر، ' +
    'لكنها تحتاج إلى نطاق ومعالجة أكثر.',
  connection: 'الاتصال',
  connectionAuto: 'تلقائي: أفضل ما يعمل',
  connectionWebTransport: 'WebTransport (HTTP/3)',
  connectionWebSocket: 'WebSocket',
  connectionHttp1: 'HTTP/1',
  connectionHint:
    'تأخير WebTransport هو الأقل. أما البقية فللشبكات والمتصفحات التي لا تدعمه، وللمقارنة.',

  language: 'اللغة',
  languageAuto: 'تلقائي: لغة المتصفح',
  languageLater: 'ستستخدمها الصفحة عند فتحها في المرة القادمة.',

  howConnected: 'حالة اتصالك',
  triedBefore: 'ما جُرّب قبل ذلك',
  peopleInRoom: 'الموجودون في الغرفة',
  callControls: 'أزرار المكالمة',
  alone: 'لا أحد هنا غيرك.',
  aloneHint: 'أرسل الرابط إلى أحد، أو دعه يمسح رمز QR. تنبّهك هذه الصفحة عندما ينضم أحد.',
  copyLink: 'نسخ الرابط',
  qrCode: 'رمز QR',
  mute: 'كتم',
  hand: 'اليد',
  chat: 'دردشة',
  more: 'المزيد',
  record: 'تسجيل',
  soundPanel: 'الصوت',
  settings: 'الإعدادات',
  leave: 'مغادرة',
  close: 'إغلاق',
  recording: 'تسجيل',
};

/** @type {typeof import('../labels.js').switchTexts} */
export const switchTexts = {
  echoCancellation: {
    label: 'إلغاء الصدى',
    hint: 'يمنع الآخرين من سماع أنفسهم. لا توقفه إلا مع سماعات الرأس.',
  },
  noiseSuppression: {
    label: 'خفض الضوضاء',
    hint: 'يزيل أصوات المراوح ولوحة المفاتيح والشارع.',
  },
  noiseModel: {
    label: 'خفض أقوى للضوضاء',
    hint: 'يزيل منها أكثر، بدلًا من خفض المتصفح. يصل صوتك متأخرًا 10 م‌ث. يُحمّل عند تشغيله.',
  },
  autoGainControl: {
    label: 'مستوى صوت تلقائي',
    hint: 'يرفع الأصوات الخافتة ويخفض العالية.',
  },
  music: {
    label: 'موسيقى',
    hint: 'يرسل الصوت كما هو: الأربعة أعلاه متوقفة، ومعدل البت أعلى.',
  },
  stereo: {
    label: 'ستيريو',
    hint:
      'يبقي اليسار واليمين منفصلين إن كنت أول من يدخل الغرفة، ويسري على الجميع. لا يأخذ Chrome ' +
      'وEdge ميكروفونك ستيريو إلا مع «موسيقى»؛ وفي بعض الحواسيب يتأخر الصوت عندئذ نحو 20 م‌ث، ' +
      'كما تُظهر لوحة «الصوت».',
  },
  highBitrate: {
    label: 'معدل بت أعلى',
    hint: 'يُرسل صوتك بمعدل 96 kb/s، و192 في الستيريو. ما تسمعه بمعدل الغرفة.',
  },
  lossless: {
    label: 'بلا فقد، على شبكة سريعة',
    hint:
      'بين من يفعّلونه يُرسل الصوت بلا ضغط، في الغرف ذات الإطارات 2.5 أو 5 م‌ث. يحتاج إلى 0.9 ' +
      'Mb/s في كل اتجاه، وضعفها في الستيريو، ويوفّر تأخير الترميز.',
  },
  lowDelay: {
    label: 'Opus بتأخير أقل',
    hint: 'تأخير أقل بنحو 4 م‌ث للآخرين. عند إيقافه تصير الأصوات الخافتة أدقّ قليلًا.',
  },
  sounds: { label: 'أصوات تنبيه', hint: 'صوت خافت عندما يأتي أحد أو يغادر.' },
  captions: { label: 'تسميات توضيحية', hint: 'تعرض ما يُقال نصًا.' },
  shortcuts: {
    label: 'اختصارات لوحة المفاتيح',
    hint:
      'M للكتم، H لرفع اليد، C للدردشة، ? لعرضها كلها؛ واصل الضغط على مفتاح المسافة للتحدث ' +
      'وميكروفونك مكتوم.',
  },
};

/** @type {typeof import('../labels.js').greenRoomTexts} */
export const greenRoomTexts = {
  noRoomTyped: 'اكتب اسم غرفة أو ألصق رابطها.',
  noNameTyped: 'اكتب الاسم الذي سيراه الآخرون.',
  nameCut: (name) => `الاسم طويل جدًا. يرى الآخرون «${name}».`,
  nameInvited: 'هذا الاسم من دعوتك.',
  join: 'انضمام',
  joining: 'جارٍ الانضمام…',
  listen: 'استماع',
  listenerName: 'مستمع',
  listenHint: 'تسمع الغرفة ولا يسمعك أحد: لا يُطلب ميكروفون. ارفع يدك لتطلب الكلام.',
  yourOutput: 'أين تسمع',
  microphoneLabel: 'الميكروفون',
  speakerLabel: 'مكبر الصوت',
  defaultMicrophone: 'الميكروفون الافتراضي',
  defaultSpeaker: 'مكبر الصوت الافتراضي',
  noMicrophone: 'بلا ميكروفون: استماع فقط',
  microphone: (number) => `ميكروفون ${number}`,
  speaker: (number) => `مكبر صوت ${number}`,
  speakerBySystem: 'في هذا المتصفح يُختار مكبر الصوت من إعدادات النظام.',
  testMicrophone: 'اختبار مستوى صوتي',
  stopTest: 'إنهاء الاختبار',
  yourLevel: 'مستوى صوتك',
  saySomething: 'قل شيئًا: يتحرك الشريط مع صوتك.',
  levelHeard: 'صوتك مسموع.',
  levelSilent: 'لا يُسمع شيء بعد. هل هذا هو الميكروفون الصحيح، وهل هو مشغّل؟',
  playTone: 'تشغيل نغمة اختبار خافتة',
  tonePlaying:
    'ينبغي أن تسمع نغمتين خافتتين. إن لم تسمعهما فاختر مكبر صوت آخر، أو ارفع صوت هذا الجهاز.',
  hearYourself: 'اسمع نفسك',
  hearStop: 'أوقف سماع نفسك',
  hearConnecting: 'جارٍ الاتصال بالخادم…',
  hearing: 'تكلّم: يعيد الخادم صوتك بعد ثانيتين، كما كان سيسمعه الآخرون.',
};

/** @type {typeof import('../labels.js').elementTexts} */
export const elementTexts = {
  call: (room) => `مكالمة ${room}`,
  name: 'اسمك',
  join: 'انضمام',
  listen: 'استماع',
  joining: 'جارٍ الانضمام…',
  waiting: 'في انتظار أن يُدخلك أحد المشرفين…',
  away: 'انقطع الاتصال. تُعاد المحاولة…',
  left: 'غادرت المكالمة.',
  alone: 'لا أحد هنا غيرك.',
  people: 'الموجودون في الغرفة',
  mute: 'كتم',
  leave: 'مغادرة',
};
