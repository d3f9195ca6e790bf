/** @type {typeof import('../inputs.js').inputTexts} */
export const inputTexts = {
  title: 'Zwei Eingänge',
  off: 'Dein Mikrofon ist ein einziger Eingang.',
  name: 'Name des rechten Eingangs',
  second: 'Zweiter Eingang',
  start: 'Zwei Eingänge verwenden',
  stop: 'Einen Eingang verwenden',
  on: (name) => `Der linke Eingang ist deine Stimme. Den rechten hören alle als „${name}“.`,
  oneChannel:
    'Dieses Mikrofon hat nur einen Kanal und bleibt deshalb ein Eingang. Wähle in den ' +
    'Einstellungen ein Gerät mit zwei Eingängen und versuche es noch einmal.',
  replaced: 'Du teilst jetzt einen anderen Ton. Dein Mikrofon ist wieder ein einziger Eingang.',
  noMicrophone: 'Wähle zuerst in den Einstellungen ein Mikrofon.',
  hint:
    'Für eine Soundkarte mit der Stimme links und einem Instrument rechts. Beide werden ' +
    'unbearbeitet und zeitgleich gesendet. Alle stellen Lautstärke und Position für beide ' +
    'einzeln ein. Benutze Kopfhörer, sonst nimmt das Mikrofon die anderen mit auf.',
};
