/** @type {typeof import('../inputs.js').inputTexts} */
export const inputTexts = {
  title: 'Due ingressi',
  off: 'Il tuo microfono è un solo ingresso.',
  name: 'Nome dell’ingresso destro',
  second: 'Secondo ingresso',
  start: 'Usa due ingressi',
  stop: 'Usa un solo ingresso',
  on: (name) => `L’ingresso sinistro è la tua voce. Tutti sentono quello destro come «${name}».`,
  oneChannel:
    'Questo microfono ha un solo canale, quindi resta un solo ingresso. Scegli nelle ' +
    'impostazioni un dispositivo con due ingressi, poi riprova.',
  replaced: 'Ora condividi un altro suono: il tuo microfono è di nuovo un solo ingresso.',
  noMicrophone: 'Scegli prima un microfono nelle impostazioni.',
  hint:
    'Per una scheda audio con la voce a sinistra e uno strumento a destra. Entrambi vengono ' +
    'inviati senza elaborazione e sincronizzati. Ognuno regola il volume e la posizione ' +
    'dell’una e dell’altro. Usa le cuffie, altrimenti il microfono capta gli altri.',
};
