/** @type {typeof import('../labels.js').labels} */
export const labels = {
  startTitle: '声に出して、',
  startTitleEnd: '話そう。',
  startLead: 'ルームを開き、リンクを送って、話すだけ。インストールもアカウントも要りません。',
  startRoom: 'ルームを開く',
  startEncrypted: '暗号化ルームを開く',
  startEncryptedHint:
    'エンドツーエンド暗号化: 完全なリンクを持つ人だけが聞けます。サーバーには聞こえません。録音はできません。',
  joinRoom: 'またはルームに参加',
  roomPlaceholder: 'ルームの名前またはリンク',
  goToRoom: 'ルームへ',
  lab: 'ラボ',
  labHint: 'ここからサーバーまで音が往復する時間を測ります。',

  room: 'ルーム',
  name: '名前',
  join: '参加',
  cancelJoin: 'キャンセル',
  roomPassword: 'ルームのパスワード',
  knocks: '入室を待っている人',
  hands: '手を挙げたリスナー',
  joinHint: 'マイクは参加したときにオンになります。勝手にオンになることはありません。',
  yourSound: 'あなたの音声',
  soundSettings: '音声の設定',
  advanced: '詳細',
  frameLength: 'フレームの長さ',
  frameAuto: '自動: サーバーの設定どおり',
  frame20: '20 ms: パケットが最も少ない',
  frame10: '10 ms: 遅延が小さい',
  frame5: '5 ms: 一緒に演奏するため',
  frame2: '2.5 ms: 遅延が最小、有線接続のみ',
  frameHint:
    '最初に入った人の設定が使われ、全員に適用されます。短いフレームは早く聞こえますが、帯域と処理をより多く使います。',
  connection: '接続',
  connectionAuto: '自動: 使える中で最良のもの',
  connectionWebTransport: 'WebTransport (HTTP/3)',
  connectionWebSocket: 'WebSocket',
  connectionHttp1: 'HTTP/1',
  connectionHint:
    'WebTransport の遅延が最小です。ほかは、それが使えないネットワークやブラウザーのため、また比較のためです。',

  language: '言語',
  languageAuto: '自動: ブラウザーに合わせる',
  languageLater: '次にこのページを開いたときから使われます。',

  howConnected: '接続の状態',
  triedBefore: '先に試したもの',
  peopleInRoom: 'ルームにいる人',
  callControls: '通話の操作',
  alone: 'ほかには誰もいません。',
  aloneHint: 'リンクを送るか、QR コードを読み取ってもらってください。誰かが入るとお知らせします。',
  copyLink: 'リンクをコピー',
  qrCode: 'QR コード',
  mute: 'ミュート',
  hand: '挙手',
  chat: 'チャット',
  more: 'その他',
  record: '録音',
  soundPanel: '音声',
  settings: '設定',
  leave: '退出',
  close: '閉じる',
  recording: '録音',
};

/** @type {typeof import('../labels.js').switchTexts} */
export const switchTexts = {
  echoCancellation: {
    label: 'エコーキャンセル',
    hint: '相手に相手自身の声が返らないようにします。ヘッドホンを使うときだけオフにしてください。',
  },
  noiseSuppression: { label: 'ノイズ抑制', hint: '換気扇、キーボード、外の音を取り除きます。' },
  noiseModel: {
    label: '強力なノイズ抑制',
    hint: 'ブラウザーのものに代わり、より多くの雑音を取り除きます。声は 10 ms 遅れて届きます。オンにしたときに読み込まれます。',
  },
  autoGainControl: {
    label: '自動音量調整',
    hint: '小さい声を大きく、大きい声を小さくします。',
  },
  music: {
    label: '音楽',
    hint: '音をそのまま送ります。上の 4 つはオフになり、ビットレートが上がります。',
  },
  stereo: {
    label: 'ステレオ',
    hint:
      '最初に入った人の場合、左右を分けて送り、全員に適用されます。Chrome と Edge は「音楽」のときだけマイクをステレオで取り込みます。コンピューターによっては音が約 20 ' +
      'ms 遅れます（「音声」パネルで確認できます）。',
  },
  highBitrate: {
    label: '高いビットレート',
    hint: 'あなたの声を 96 kb/s（ステレオでは 192）で送ります。聞こえる音はルームのビットレートです。',
  },
  lossless: {
    label: 'ロスレス（高速な回線向け）',
    hint:
      'オンにした人同士では音を圧縮せずに送ります。フレームが 2.5 または 5 ms のルームで使えます。片方向に 0.9 ' +
      'Mb/s（ステレオではその倍）が必要で、コーデックの遅延がなくなります。',
  },
  lowDelay: {
    label: '低遅延 Opus',
    hint: '相手への遅延が約 4 ms 減ります。オフにすると、小さい音が少しきれいになります。',
  },
  sounds: { label: '効果音', hint: '誰かが出入りしたときに小さな音を鳴らします。' },
  captions: { label: '字幕', hint: '発言を文字で表示します。' },
  shortcuts: {
    label: 'キーボードショートカット',
    hint: 'M でミュート、H で挙手、C でチャット、? ですべて表示。ミュート中はスペースを押している間だけ話せます。',
  },
};

/** @type {typeof import('../labels.js').greenRoomTexts} */
export const greenRoomTexts = {
  noRoomTyped: 'ルームの名前を入力するか、リンクを貼り付けてください。',
  noNameTyped: '相手に見える名前を入力してください。',
  nameCut: (name) => `名前が長すぎます。相手には「${name}」と見えます。`,
  nameInvited: 'この名前は招待に書かれています。',
  join: '参加',
  joining: '参加しています…',
  listen: '聞く',
  listenerName: 'リスナー',
  listenHint:
    'ルームの音が聞こえ、あなたの声は誰にも聞こえません。マイクは使いません。話したいときは手を挙げてください。',
  yourOutput: '聞こえる場所',
  microphoneLabel: 'マイク',
  speakerLabel: 'スピーカー',
  defaultMicrophone: '既定のマイク',
  defaultSpeaker: '既定のスピーカー',
  noMicrophone: 'マイクなし: 聞くだけ',
  microphone: (number) => `マイク ${number}`,
  speaker: (number) => `スピーカー ${number}`,
  speakerBySystem: 'このブラウザーでは、スピーカーはシステムの設定で選びます。',
  testMicrophone: '音量をテスト',
  stopTest: 'テストを終了',
  yourLevel: 'あなたの音量',
  saySomething: '何か話してください。バーが声に合わせて動きます。',
  levelHeard: '声が聞こえています。',
  levelSilent: 'まだ何も聞こえません。マイクは正しく選ばれ、オンになっていますか？',
  playTone: '小さなテスト音を鳴らす',
  tonePlaying:
    '小さな音が 2 つ聞こえるはずです。聞こえなければ、別のスピーカーを選ぶか、音量を上げてください。',
  hearYourself: '自分の声を聞く',
  hearStop: '自分の声を止める',
  hearConnecting: 'サーバーに接続しています…',
  hearing: '話してください。2 秒後に、相手に聞こえるとおりの声をサーバーが返します。',
};

/** @type {typeof import('../labels.js').elementTexts} */
export const elementTexts = {
  call: (room) => `通話 ${room}`,
  name: 'あなたの名前',
  join: '参加',
  listen: '聞く',
  joining: '参加しています…',
  waiting: 'モデレーターの許可を待っています…',
  away: '接続が切れました。再接続しています…',
  left: '通話から退出しました。',
  alone: 'ほかには誰もいません。',
  people: 'ルームにいる人',
  mute: 'ミュート',
  leave: '退出',
};
