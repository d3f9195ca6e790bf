/** @type {typeof import('../inputs.js').inputTexts} */
export const inputTexts = {
  title: 'Deux entrées',
  off: 'Votre micro est une seule entrée.',
  name: 'Nom de l’entrée droite',
  second: 'Deuxième entrée',
  start: 'Utiliser deux entrées',
  stop: 'Utiliser une seule entrée',
  on: (name) =>
    `L’entrée gauche est votre voix. Tout le monde entend la droite sous le nom « ${name} ».`,
  oneChannel:
    'Ce micro n’a qu’un canal et reste donc une seule entrée. Choisissez un appareil à deux ' +
    'entrées dans les réglages, puis réessayez.',
  replaced: 'Vous partagez maintenant un autre son : votre micro est de nouveau une seule entrée.',
  noMicrophone: 'Choisissez d’abord un micro dans les réglages.',
  hint:
    'Pour une carte son avec une voix à gauche et un instrument à droite. Les deux sont ' +
    'envoyées sans traitement et bien synchronisées. Chacun règle le volume et la position de ' +
    'l’une et de l’autre. Utilisez un casque, sinon le micro capte les autres.',
};
