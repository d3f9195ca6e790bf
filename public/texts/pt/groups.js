/** @type {typeof import('../groups.js').groupTexts} */
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
