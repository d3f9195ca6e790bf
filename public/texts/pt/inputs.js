/** @type {typeof import('../inputs.js').inputTexts} */
export const inputTexts = {
  title: 'Duas entradas',
  off: 'Seu microfone é uma entrada só.',
  name: 'Nome da entrada direita',
  second: 'Segunda entrada',
  start: 'Usar duas entradas',
  stop: 'Usar uma entrada',
  on: (name) => `A entrada esquerda é a sua voz. Todos ouvem a direita como “${name}”.`,
  oneChannel:
    'Este microfone tem um canal só, então continua sendo uma entrada. Escolha nos ajustes ' +
    'um dispositivo com duas entradas e tente de novo.',
  replaced: 'Agora você compartilha outro som, e seu microfone voltou a ser uma entrada só.',
  noMicrophone: 'Primeiro escolha um microfone nos ajustes.',
  hint:
    'Para uma placa de som com a voz à esquerda e um instrumento à direita. Os dois saem sem ' +
    'processamento e sincronizados. Cada pessoa ajusta o volume e o lugar de cada um. Use fones ' +
    'de ouvido, ou o microfone capta os outros.',
};
