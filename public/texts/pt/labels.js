/** @type {typeof import('../labels.js').labels} */
export const labels = {
  startTitle: 'Diga',
  startTitleEnd: 'em voz alta.',
  startLead: 'Abra uma sala, envie o link, fale. Nada para instalar, sem conta.',
  startRoom: 'Abrir uma sala',
  startEncrypted: 'Abrir uma sala criptografada',
  startEncryptedHint:
    'De ponta a ponta: só ouve quem tem o link inteiro; o servidor não consegue. Nada pode ' +
    'ser gravado.',
  joinRoom: 'Ou entrar em uma sala',
  roomPlaceholder: 'o nome ou o link dela',
  goToRoom: 'Ir para a sala',
  lab: 'O laboratório',
  labHint: 'mede quanto o som leva daqui até este servidor e de volta.',

  room: 'Sala',
  name: 'Nome',
  join: 'Entrar',
  cancelJoin: 'Cancelar',
  roomPassword: 'Senha da sala',
  knocks: 'Pessoas que querem entrar',
  hands: 'Ouvintes que levantaram a mão',
  joinHint: 'Seu microfone é ligado quando você entra, nunca antes de você pedir.',
  yourSound: 'Seu som',
  soundSettings: 'Configurações de som',
  advanced: 'Avançado',
  frameLength: 'Duração de um quadro',
  frameAuto: 'Automática: como o servidor definir',
  frame20: '20 ms: menos pacotes',
  frame10: '10 ms: menos atraso',
  frame5: '5 ms: para tocar em conjunto',
  frame2: '2,5 ms: o menor atraso, só por cabo',
  frameHint:
    'Sua escolha conta se você é a primeira pessoa da sala, e então vale para todas. Quadros ' +
    'mais curtos são ouvidos antes, mas pedem mais banda e mais processamento.',
  connection: 'Conexão',
  connectionAuto: 'Automática: a melhor que funcionar',
  connectionWebTransport: 'WebTransport (HTTP/3)',
  connectionWebSocket: 'WebSocket',
  connectionHttp1: 'HTTP/1',
  connectionHint:
    'WebTransport tem o menor atraso. As outras são para redes e navegadores sem ele, e para ' +
    'comparar.',

  language: 'Idioma',
  languageAuto: 'Automático: o do navegador',
  languageLater: 'A página vai usá-lo na próxima vez que você a abrir.',

  howConnected: 'Sua conexão',
  triedBefore: 'O que foi tentado antes',
  peopleInRoom: 'Pessoas na sala',
  callControls: 'Controles da chamada',
  alone: 'Só você está aqui.',
  aloneHint:
    'Envie o link a alguém, ou deixe que escaneie o código QR. Esta página avisa quando ' +
    'alguém entra.',
  copyLink: 'Copiar link',
  qrCode: 'Código QR',
  mute: 'Silenciar',
  hand: 'Mão',
  chat: 'Chat',
  more: 'Mais',
  record: 'Gravar',
  soundPanel: 'Som',
  settings: 'Configurações',
  leave: 'Sair',
  close: 'Fechar',
  recording: 'Gravação',
};

/** @type {typeof import('../labels.js').switchTexts} */
export const switchTexts = {
  echoCancellation: {
    label: 'Cancelamento de eco',
    hint: 'Evita que os outros ouçam a si mesmos. Desligue só com fones.',
  },
  noiseSuppression: {
    label: 'Redução de ruído',
    hint: 'Remove o ruído de ventiladores, teclas e da rua.',
  },
  noiseModel: {
    label: 'Redução de ruído mais forte',
    hint:
      'Remove mais ruído, no lugar da do navegador. Os outros ouvem você 10 ms mais tarde. Ela ' +
      'é carregada quando você liga.',
  },
  autoGainControl: {
    label: 'Volume automático',
    hint: 'Aumenta vozes baixas e diminui as altas.',
  },
  music: {
    label: 'Música',
    hint: 'Envia o som como ele é: os quatro acima ficam desligados, e a taxa de bits é maior.',
  },
  stereo: {
    label: 'Estéreo',
    hint:
      'Mantém esquerda e direita separadas, se você é a primeira pessoa da sala: vale para ' +
      'todas. O Chrome e o Edge só usam seu microfone em estéreo com “Música”; em alguns ' +
      'computadores o som chega então uns 20 ms mais tarde, como mostra o painel “Som”.',
  },
  highBitrate: {
    label: 'Taxa de bits maior',
    hint: 'Sua voz é enviada a 96 kb/s, 192 em estéreo. O que você ouve tem a taxa da sala.',
  },
  lossless: {
    label: 'Sem perdas, em rede rápida',
    hint:
      'Entre quem ativa, o som vai sem compressão, em salas com quadros de 2,5 ou 5 ms. ' +
      'Precisa de 0,9 Mb/s em cada sentido, o dobro em estéreo, e elimina o atraso do codec.',
  },
  lowDelay: {
    label: 'Opus com pouco atraso',
    hint:
      'Cerca de 4 ms a menos de atraso para os outros. Desligado, sons suaves ficam um pouco ' +
      'mais finos.',
  },
  sounds: { label: 'Sons', hint: 'Um som suave quando alguém entra ou sai.' },
  captions: { label: 'Legendas', hint: 'Mostra em texto o que se diz.' },
  shortcuts: {
    label: 'Atalhos do teclado',
    hint:
      'M desliga o microfone, H levanta a mão, C abre o chat, ? mostra todos; segure Espaço ' +
      'para falar com o microfone desligado.',
  },
};

/** @type {typeof import('../labels.js').greenRoomTexts} */
export const greenRoomTexts = {
  noRoomTyped: 'Digite o nome de uma sala ou cole o link dela.',
  noNameTyped: 'Digite o nome que os outros vão ver.',
  nameCut: (name) => `O nome é longo demais. Os outros veem “${name}”.`,
  nameInvited: 'Este nome vem do seu convite.',
  join: 'Entrar',
  joining: 'Entrando…',
  listen: 'Ouvir',
  listenerName: 'Ouvinte',
  listenHint:
    'Você ouve a sala e ninguém ouve você: nenhum microfone é pedido. Levante a mão para ' +
    'pedir a palavra.',
  yourOutput: 'Onde você ouve',
  microphoneLabel: 'Microfone',
  speakerLabel: 'Alto-falante',
  defaultMicrophone: 'Microfone padrão',
  defaultSpeaker: 'Alto-falante padrão',
  noMicrophone: 'Sem microfone: só ouvir',
  microphone: (number) => `Microfone ${number}`,
  speaker: (number) => `Alto-falante ${number}`,
  speakerBySystem: 'Neste navegador, o alto-falante é escolhido nas configurações do sistema.',
  testMicrophone: 'Testar meu nível',
  stopTest: 'Encerrar o teste',
  yourLevel: 'Seu nível',
  saySomething: 'Diga algo: a barra acompanha sua voz.',
  levelHeard: 'Dá para ouvir você.',
  levelSilent: 'Ainda não se ouve nada. É o microfone certo, e está ligado?',
  playTone: 'Tocar um som de teste suave',
  tonePlaying:
    'Você deve ouvir duas notas suaves. Se não, escolha outro alto-falante ou aumente o ' +
    'volume deste dispositivo.',
  hearYourself: 'Ouvir sua voz',
  hearStop: 'Parar de ouvir sua voz',
  hearConnecting: 'Conectando ao servidor…',
  hearing: 'Fale: o servidor devolve sua voz depois de dois segundos, como os outros a ouviriam.',
};

/** @type {typeof import('../labels.js').elementTexts} */
export const elementTexts = {
  call: (room) => `Chamada ${room}`,
  name: 'Seu nome',
  join: 'Entrar',
  listen: 'Ouvir',
  joining: 'Entrando…',
  waiting: 'Esperando um moderador deixar você entrar…',
  away: 'Conexão perdida. Tentando de novo…',
  left: 'Você saiu da chamada.',
  alone: 'Só você está aqui.',
  people: 'Pessoas na sala',
  mute: 'Silenciar',
  leave: 'Sair',
};
