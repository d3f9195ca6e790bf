/** @type {typeof import('../inputs.js').inputTexts} */
export const inputTexts = {
  title: 'Dos entradas',
  off: 'Tu micrófono es una sola entrada.',
  name: 'Nombre de la entrada derecha',
  second: 'Segunda entrada',
  start: 'Usar dos entradas',
  stop: 'Usar una entrada',
  on: (name) => `La entrada izquierda es tu voz. Todos oyen la derecha como «${name}».`,
  oneChannel:
    'Este micrófono tiene un solo canal, así que sigue siendo una entrada. Elige en los ajustes ' +
    'un dispositivo con dos entradas y vuelve a intentarlo.',
  replaced: 'Ahora compartes otro sonido, así que tu micrófono vuelve a ser una sola entrada.',
  noMicrophone: 'Primero elige un micrófono en los ajustes.',
  hint:
    'Para una tarjeta de sonido con la voz a la izquierda y un instrumento a la derecha. Las ' +
    'dos señales se envían sin procesar y sincronizadas. Cada persona ajusta el volumen y la ' +
    'posición de cada una. Usa auriculares o el micrófono captará a los demás.',
};
