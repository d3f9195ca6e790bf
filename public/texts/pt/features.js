/** @type {typeof import('../features.js').captionTexts} */
export const captionTexts = {
  title: 'Legendas',
  waiting:
    'O que se diz aparece aqui, se o navegador de quem fala souber transcrever ou se um ' +
    'programa na sala o fizer.',
  byProgram: (by) => `(transcrito por ${by})`,
  translate: 'Traduzir para',
  asSpoken: 'Idioma original',
  notTranslated: 'Este navegador não consegue traduzir o que foi dito: aparece no idioma original.',
  own:
    'Alguém ativou as legendas. Este navegador transcreve o que você diz, neste dispositivo, ' +
    'e os outros podem ler.',
  stop: 'Parar de transcrever',
  install:
    'Alguém ativou as legendas. Este navegador pode transcrever o que você diz, neste ' +
    'dispositivo, depois de carregar o seu idioma.',
  load: 'Carregar',
  failed: 'Este navegador não transcreve mais o que você diz. Os outros ouvem você como antes.',
};

/** @type {typeof import('../features.js').groupTexts} */
export const groupTexts = {
  groups: 'Grupos',
  offHint:
    'Num grupo só se ouve esse grupo. Você distribui as pessoas, ou elas escolhem, e você ' +
    'chama todos de volta.',
  number: 'Número de grupos',
  evenly: 'Distribuir por igual',
  evenlyHint: 'Os moderadores ficam na sala.',
  choose: 'Deixar todos escolherem',
  chooseHint: 'Cada pessoa escolhe seu grupo e pode mudar.',
  open: 'Abrir os grupos',
  callBackIn: 'Todos voltam',
  callBackTimes: [
    [0, 'agora'],
    [30, 'em 30 segundos'],
    [60, 'em um minuto'],
    [300, 'em cinco minutos'],
  ],
  callBack: 'Chamar todos de volta',
  speak: 'Falar a todos os grupos',
  stopSpeaking: 'Parar de falar a todos',
  speakHint:
    'Todos ouvem você, na sala e em cada grupo. O que você escreve da sala também chega a ' +
    'todos.',
  theRoom: 'A sala',
  group: (group) => `Grupo ${group}`,
  groupWith: (group, people) => `Grupo ${group} (${people})`,
  groupOf: (name) => `Grupo de ${name}`,
  yourGroup: 'Seu grupo',
  inRoom: 'Há grupos abertos. Você está na sala.',
  inGroup: (group) => `Você está no grupo ${group}. Só esse grupo ouve você, e você só o ouve.`,
  goBack: 'Voltar à sala',
  backIn: (time) => `Todos voltam à sala em ${time}.`,
  speaks: (name) => `${name} fala a todos os grupos.`,
  youSpeak: 'Você está falando a todos os grupos.',
  over: 'Os grupos terminaram. Todos estão na sala de novo.',
};

/** @type {typeof import('../features.js').inputTexts} */
export const inputTexts = {
  title: 'Duas entradas',
  off: 'Seu microfone é uma entrada só.',
  name: 'Nome da entrada direita',
  second: 'Segunda entrada',
  start: 'Usar duas entradas',
  stop: 'Usar uma entrada',
  on: (name) => `A entrada esquerda é a sua voz. Todos ouvem a direita como “${name}”.`,
  oneChannel:
    'Este microfone tem um canal só, então continua sendo uma entrada. Escolha nas ' +
    'configurações um dispositivo com duas entradas e tente de novo.',
  replaced: 'Agora você compartilha outro som, e seu microfone voltou a ser uma entrada só.',
  noMicrophone: 'Primeiro escolha um microfone nas configurações.',
  hint:
    'Para uma placa de som com a voz à esquerda e um instrumento à direita. As duas entradas ' +
    'são enviadas sem processamento e sincronizadas. Cada pessoa ajusta o volume e a posição ' +
    'de cada uma. Use fones de ouvido, ou o microfone capta os outros.',
};

/** @type {typeof import('../features.js').interpreterTexts} */
export const interpreterTexts = {
  label: 'Idioma',
  floor: 'Áudio original',
  hint: 'O intérprete é ouvido por cima de quem fala, que fica mais baixo enquanto isso.',
  into: 'Interpreta para',
  nobody: 'Nenhum idioma: todos ouvem a pessoa',
  set: 'Definir o idioma',
  intoHint: 'Só ouve o intérprete quem escolhe esse idioma.',
};
