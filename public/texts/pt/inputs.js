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
    'Este microfone tem um canal só, então continua sendo uma entrada. Escolha nas ' +
    'configurações um dispositivo com duas entradas e tente de novo.',
  replaced: 'Agora você compartilha outro som, e seu microfone voltou a ser uma entrada só.',
  noMicrophone: 'Primeiro escolha um microfone nas configurações.',
  hint:
    'Para uma placa de som com a voz à esquerda e um instrumento à direita. As duas entradas ' +
    'são enviadas sem processamento e sincronizadas. Cada pessoa ajusta o volume e a posição ' +
    'de cada uma. Use fones de ouvido, ou o microfone capta os outros.',
};
