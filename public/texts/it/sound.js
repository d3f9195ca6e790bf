import { timeText } from '../units.js';

/** @type {typeof import('../sound.js').partTexts} */
export const partTexts = {
  microphoneMs: 'Microfoni degli altri',
  frameMs: 'Si riempie un frame',
  serverDelayMs: 'Ritardo nel server',
  wayMs: 'Percorso nella rete',
  playoutMs: 'Buffer di riproduzione',
  outputMs: 'Attesa della scheda audio',
  codecMs: 'Anticipo del codec',
  laterMs: 'Ritardo aggiunto a chi arriva tardi',
  speakerMs: 'Scheda audio e altoparlante',
};

/** @type {typeof import('../sound.js').savingTexts} */
export const savingTexts = {
  frameMs: 'Apri la stanza con frame di 2,5 ms',
  serverDelayMs: 'Chiedi a chi si sente in ritardo di usare il cavo invece del Wi-Fi',
  playoutMs: 'Usa il cavo invece del Wi-Fi, e chiudi ciò che tiene occupato questo computer',
  outputMs: 'Usa una scheda audio che prende il suono a pezzi più piccoli, e niente Bluetooth',
  speakerMs: 'Usa altoparlanti o cuffie con il cavo, niente Bluetooth',
};

/** @type {typeof import('../sound.js').figureTexts} */
export const figureTexts = {
  received: 'Suono ricevuto, in tutto',
  received10s: 'Suono ricevuto, ultimi 10 s',
  lost: 'Pacchetti persi',
  late: 'Pacchetti in ritardo',
  early: 'Pacchetti in anticipo',
  duplicate: 'Pacchetti duplicati',
  concealed: 'Frame mascherati',
  recovered: 'Frame recuperati dalla ridondanza',
  gaps: 'Interruzioni all’altoparlante',
  jitter: 'Jitter; quanto richiede',
  drift: 'Deriva della scheda audio',
};

/** @type {typeof import('../sound.js').soundTexts} */
export const soundTexts = {
  soundSum: 'Ritardo di ciò che senti',
  soundSumHint: 'Il ritardo nel server comprende il percorso di chi parla fino al server.',
  soundSumDevices: 'Non comprende ciò che aggiungono i microfoni degli altri.',
  soundSumNoDevices: 'È senza schede audio: il browser non dice quanto aggiunge la tua.',
  ownMicrophone: (ms) => `Il tuo microfono aggiunge ${ms} a ciò che gli altri sentono di te.`,
  ownSuppression: (ms) => `${ms} del ritardo del tuo suono vengono dalla riduzione del rumore.`,
  savings: 'Che cosa lo accorcerebbe',
  saves: (part, ms) => `${savingTexts[part]}: fino a ${ms} ms.`,
  savesNothing: 'Nulla che aiuterebbe molto: il ritardo è breve quasi quanto può esserlo qui.',
  metronome: 'Metronomo',
  metronomeBpm: 'Battiti al minuto',
  metronomeBeats: 'Battiti per battuta',
  metronomeStart: 'Avvia per tutti',
  metronomeStop: 'Ferma per tutti',
  metronomeTap: 'Batti il tempo',
  metronomeHeard: 'Lo sento',
  metronomeOff: 'È fermo.',
  metronomeBy: (name, bpm) => `${name} lo ha impostato: ${bpm} battiti al minuto.`,
  metronomeBegan: (name, bpm) => `${name} ha avviato il metronomo: ${bpm} battiti al minuto.`,
  metronomeEnded: (name) => `${name} ha fermato il metronomo.`,
  metronomeHint:
    'Tutti sentono ogni battito nello stesso momento, qualunque sia il loro ritardo. Se suoni ' +
    'sul battito, tutti gli altri ti sentono lì. Per dare il tempo, premi «Batti il tempo» a ' +
    'ogni battito. Usa le cuffie, o il microfono lo capta.',
  share: 'Condividi un suono',
  shareNone: 'Non ne condividi.',
  shareTab: 'Condividi il suono di una scheda',
  shareFile: 'Condividi il suono di un file',
  shareStop: 'Smetti di condividere',
  shareReading: 'Il file viene letto.',
  shareBegins: 'Comincia…',
  shareOver: 'È finito: non lo sente più nessuno.',
  shareOfTab: 'Suono di una scheda',
  shareOfFile: 'Suono di un file',
  shareHint:
    'Viene inviato insieme alla tua voce, senza elaborazione. Tutti lo vedono accanto a te e ' +
    'ne regolano il volume. Spunta «Condividi anche l’audio della scheda» quando il browser ' +
    'lo chiede. Una scheda continua a suonare qui; usa le cuffie, o il microfono la capta.',
  shareFileHint:
    'Viene inviato insieme alla tua voce, senza elaborazione. Tutti lo vedono accanto a te e ' +
    'ne regolano il volume. Questo browser non può condividere il suono di una scheda; Chrome ' +
    'ed Edge su un computer sì.',
  shareOn: (name) => `Tutti sentono «${name}» insieme alla tua voce.`,
  track: 'Base',
  trackNone: 'Non ce n’è.',
  trackBy: (name, track, seconds) => `«${track}», ${timeText(seconds)}, di ${name}.`,
  trackChoose: 'Scegli un file',
  trackOther: 'Scegli un altro file',
  trackSending: 'Il file viene letto e inviato.',
  trackPlay: 'Riproduci per tutti',
  trackAgain: 'Dall’inizio',
  trackStop: 'Ferma per tutti',
  trackRemove: 'Togli',
  trackLevel: 'Quanto forte la sento',
  trackCame: (name, track) => `${name} ha aggiunto la base «${track}».`,
  trackBegan: (name) => `${name} riproduce la base.`,
  trackStopped: (name) => `${name} ha fermato la base.`,
  trackOver: 'La base è finita.',
  trackRemoved: (name) => `${name} ha tolto la base.`,
  trackHint:
    'Tutti la sentono nello stesso momento, come il metronomo, e possono suonarci sopra. ' +
    'Mentre il metronomo è acceso comincia con una battuta, dopo una battuta di battiti. Non ' +
    'è in nessuna registrazione. Usa le cuffie, o il microfono la capta.',
  own: 'Registra su questo dispositivo',
  ownNone: 'Su questo dispositivo non si registra nulla.',
  ownStart: 'Registra il mio microfono',
  ownStop: 'Ferma e conserva',
  ownOn: 'Il tuo microfono viene registrato su questo dispositivo.',
  ownKept: 'Il file resta in questo browser. Scaricalo per usarlo altrove.',
  ownFiles: 'Registrazioni su questo dispositivo',
  ownDownload: 'Scarica',
  ownGive: 'Aggiungi alla registrazione della stanza',
  ownDelete: 'Elimina',
  ownSending: (percent) => `Invio: ${percent} %`,
  ownSent: 'Il file è ora insieme alla registrazione della stanza.',
  ownHint:
    'Un file WAV a 24 bit del tuo microfono, prima della compressione. Continua mentre la ' +
    'connessione è interrotta e tace finché hai il microfono spento. Ogni file conosce il suo ' +
    'posto sull’orologio della stanza, così i programmi di montaggio allineano i file di tutti ' +
    'i dispositivi.',
  ownUnsupported:
    'Questo browser non può conservare un file simile. Usa un browser aggiornato, tramite HTTPS.',
  panelLoading: 'Caricamento…',
  plotsLoading: 'Caricamento…',
  plotRoundTrip: 'Andata e ritorno',
  plotReceived: 'Suono ricevuto',
  plotServerDelay: 'Ritardo nel server',
  plotPlayoutDelay: 'Ritardo di riproduzione',
  plotLoss: 'Pacchetti persi',
  plotRate: 'Bitrate',
  up: 'invio',
  down: 'ricezione',
  lossUp: 'Pacchetti persi, invio',
  lossDown: 'Pacchetti persi, ricezione',
  rateUp: 'Bitrate, invio',
  rateDown: 'Bitrate, ricezione',
  figures: 'Dall’ingresso',
  lateness: 'Con quanto ritardo il tuo suono è arrivato al server negli ultimi 20 s',
  latenessUpTo: (ms) => `fino a ${ms} ms`,
  latenessOver: 'di più',
  copyAsText: 'Copia come testo',
  copied: 'Copiato',
  saveAsCsv: 'Salva le statistiche come CSV',
  saveAsJson: 'Salva le statistiche come JSON',
  soundAge: (age) => `Senti gli altri con ${age} di ritardo`,
  plotLabel: (title, value) => `${title}, gli ultimi due minuti. Ora ${value}.`,
  reportTitle: (room, at) => `aloud, stanza ${room}, ${at}`,
  operator: 'Per l’amministratore',
  operatorHint:
    'Con il token dell’amministratore del server imposti il ritardo per tutti nella stanza.',
  operatorToken: 'Token dell’amministratore',
  operatorUse: 'Usa',
  operatorAuto: 'Ritardo automatico',
  operatorDelay: 'Ritardo della stanza nel server',
};
