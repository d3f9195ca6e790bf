const LISTEN = 'Intanto puoi ascoltare.';

/** @type {typeof import('../failures.js').failureTexts} */
export const failureTexts = {
  'no-microphone':
    'Non è stato trovato alcun microfono. Collegane uno, e la chiamata lo userà ' +
    `automaticamente. ${LISTEN}`,
  'microphone-refused':
    'Il browser non ha potuto usare il microfono. Consentilo per questa pagina nella barra ' +
    'degli indirizzi, poi premi «Riattiva» nella chiamata, o scegli il microfono sotto ' +
    `«Microfono». ${LISTEN}`,
  'microphone-busy':
    'Il microfono non si è potuto aprire. Chiudi gli altri programmi che lo usano, o scegline ' +
    `un altro sotto «Microfono», che in una chiamata è in «Impostazioni». ${LISTEN}`,
  'microphone-slow':
    'Il microfono non è ancora disponibile. Se il browser lo chiede, consentilo; o per ora ' +
    'ascolta, e sarà usato appena lo avrai consentito.',
  'microphone-ended':
    'Dal microfono non arriva più suono. Ricollegalo, o scegline un altro. ' + LISTEN,
  'microphone-replaced':
    'Il tuo microfono è stato scollegato. Si usa quello predefinito finché non torna. ' +
    'Collegalo, o scegline un altro in «Impostazioni».',
  'microphone-back': 'Il tuo microfono è ora in uso. Non c’è nulla da fare.',
  'microphone-muted':
    'Il sistema ha spento il tuo microfono, quindi nessuno ti sente. Riaccendilo sul ' +
    'dispositivo stesso o nelle impostazioni di sistema.',
  'microphone-insecure':
    'I browser permettono un microfono solo su una pagina sicura. Apri questa pagina con ' +
    'https://, o su localhost. ' +
    LISTEN,
  'no-audio-worklet':
    'A questo browser manca AudioWorklet, che serve al microfono. Usa una versione recente ' +
    'di Chrome, Edge, Firefox o Safari. ' +
    LISTEN,
  'no-audio':
    'Questo browser non può riprodurre una chiamata, perché gli manca AudioWorklet o ' +
    'WebAssembly. Usa una versione recente di Chrome, Edge, Firefox o Safari.',
  'no-worker':
    'Una parte di questa pagina non si è potuta caricare. Controlla la rete, poi ricarica la ' +
    'pagina e rientra.',
  'no-sound':
    'Il browser non ha potuto avviare l’audio. Chiudi altre schede e programmi che suonano o ' +
    'registrano, poi ricarica la pagina e rientra.',
  'sound-blocked':
    'Il browser trattiene il suono finché non premi qualcosa. Premi «Attiva l’audio».',
  'no-output':
    'Non è stato trovato alcun altoparlante, o un altro programma lo tiene. Senza, questo ' +
    'browser non può usare nemmeno un microfono. Collegane uno, o chiudi quel programma; poi ' +
    'ricarica la pagina e rientra.',
  'sound-interrupted':
    'Un altro programma usa l’audio di questo dispositivo, per esempio una telefonata. Torna ' +
    'da solo, o quando premi «Attiva l’audio».',
  'room-mono':
    'Questa stanza è mono, perché è cominciata così: sinistra e destra si sentono insieme. ' +
    'Per lo stereo, sii la prima persona di una stanza nuova.',
  'stereo-processed':
    'Questo browser rende uguali i due lati di un microfono mentre cancella l’eco, riduce il ' +
    'rumore o regola il volume. Per farti sentire in stereo, usa le cuffie e scegli «Musica» ' +
    'in «Impostazioni».',
  'sound-resumed':
    'Il sistema aveva fermato l’audio per un momento. Tu e gli altri vi sentite di nuovo.',
  'computer-busy':
    'Questo computer è troppo occupato per la chiamata: forse ti si sente tardi, e senti ' +
    'interruzioni. Chiudi altri programmi e schede, e collega l’alimentatore.',
  'speaker-replaced':
    'Il tuo altoparlante è stato scollegato. Si usa quello predefinito finché non torna. ' +
    'Collegalo, o scegline un altro in «Impostazioni».',
  'speaker-back': 'Il tuo altoparlante è di nuovo in uso. Non c’è nulla da fare.',
  'share-silent':
    'Ciò che hai scelto è arrivato senza suono. Condividi di nuovo, scegli una scheda e ' +
    'spunta «Condividi anche l’audio della scheda».',
  'share-failed':
    'Quel suono non si è potuto condividere. Scegli un’altra scheda o un altro file, o ' +
    'ricarica la pagina e riprova.',
  'offer-without-opus':
    'L’offerta non ha un Opus che il server possa usare. Scegli Opus nel programma che invia.',
  'webrtc-off':
    'Su questo server WebRTC è disattivato. Chiedi all’amministratore di avviarlo con ' +
    '--webrtc.',
  'pcm-off':
    'Il suono senza perdite non è possibile in questa stanza, perciò è compresso come al ' +
    'solito. Servono frame di 2,5 o 5 ms, WebTransport o WebSocket, e nessuna crittografia ' +
    'end-to-end: sceglili per una nuova stanza.',
  'own-full':
    'Su questo dispositivo non c’è più spazio per la registrazione. Quanto registrato resta: ' +
    'scaricalo, elimina i file più vecchi e ricomincia.',
  'own-slow':
    'Il disco di questo dispositivo è troppo lento, perciò la registrazione si è fermata. ' +
    'Quanto registrato resta. Chiudi altri programmi e ricomincia.',
  'own-rate':
    'Il suono della stanza ha ora un’altra frequenza di campionamento, perciò la registrazione ' +
    'si è fermata. Quanto registrato resta. Ricomincia.',
  'own-failed':
    'Il file non si può scrivere né leggere su questo dispositivo. Esci dalla finestra ' +
    'privata, se lo è, oppure ricarica la pagina e riprova.',
  'own-empty':
    'Non è arrivato alcun suono, perciò non c’è alcun file. Controlla il microfono e registra ' +
    'di nuovo.',
  'own-not-sent':
    'Non è stato possibile inviare il file. È ancora su questo dispositivo: controlla la rete ' +
    'e riprova.',
  'noise-model':
    'La riduzione del rumore più forte ora non si può usare, quindi è attiva quella del ' +
    'browser. Per riprovare, disattivala e riattivala in «Impostazioni».',
  'no-speaker':
    'Quell’altoparlante non si è potuto usare, quindi il suono resta dov’era. Ricollegalo, o ' +
    'scegline un altro.',

  'local-network':
    'Il server di questa stanza è in una rete locale, quindi il browser chiede se questa ' +
    'pagina può connettersi ai suoi dispositivi. Scegli «Consenti» per partecipare.',
  'local-network-refused':
    'Il server di questa stanza è in una rete locale, e il browser non lascia che questa ' +
    'pagina si connetta ai suoi dispositivi. Permettilo dall’icona accanto all’indirizzo, poi ' +
    'rientra.',
  'connection-failed':
    'Il server non si è potuto raggiungere. Controlla la rete, o scegli la connessione ' +
    'automatica in «Avanzate», poi rientra.',
  'no-answer':
    'Il server non ha risposto in tempo. Controlla la rete, o scegli la connessione ' +
    'automatica in «Avanzate», poi rientra.',
  'not-offered':
    'Il server non offre la connessione che hai scelto. Scegli «Automatica» in «Avanzate», ' +
    'poi rientra.',
  'no-webtransport':
    'Questo browser qui non ha WebTransport. Lascia la connessione su «Automatica», che ' +
    'prende allora un WebSocket.',
  'connection-lost': 'La connessione al server è andata persa. Controlla la rete, poi rientra.',
  'session-lost': 'La connessione si è interrotta. Controlla la rete, poi rientra.',
  'session-unknown':
    'Il server ha terminato questa chiamata, perché da un po’ non sentiva questa pagina. ' +
    'Rientra.',
  'idle-timeout':
    'Da questa pagina non è arrivato nulla per troppo tempo, quindi il server ha terminato ' +
    'la chiamata. Rientra.',
  'join-timeout': 'L’ingresso è durato troppo. Controlla la rete, poi rientra.',
  reconnecting:
    'La connessione si è interrotta. Resta su questa pagina: si sta riconnettendo, e il tuo ' +
    'posto è tenuto per mezzo minuto.',
  'reconnecting-long':
    'Da un po’ non c’è connessione, quindi per gli altri non ci sei. Controlla la rete di ' +
    'questo dispositivo: torni automaticamente, con il tuo nome, appena ce n’è una.',
  'resumed-elsewhere':
    'Questa chiamata continua in un’altra scheda o finestra. Per portarla qui, rientra.',
  'protocol-version':
    'Questa pagina e il server sono di versioni diverse. Ricarica la pagina, poi rientra.',
  draining: 'Il server sta per riavviarsi, e nessun altro può entrare. Riprova fra un minuto.',
  'call-draining':
    'Il server sta per riavviarsi. La chiamata sarà interrotta, e tornerà appena possibile.',
  'server-closing': 'Il server si spegne, forse solo per riavviarsi. Riprova fra un momento.',

  'bad-request': 'Il server non ha capito questa pagina. Ricaricala, poi rientra.',
  'room-name': 'Il nome di una stanza ha da 1 a 64 lettere, cifre, «-» o «_». Scegline un altro.',
  'user-name': 'Un nome ha da 1 a 40 caratteri, nessuno di controllo. Scegline un altro.',
  'room-full': 'La stanza è piena. Aspetta che qualcuno esca, o usa un’altra stanza.',
  'too-many-rooms':
    'Il server ha già tutte le stanze che permette. Riprova più tardi, o entra in una che ' +
    'esiste.',
  moved: 'La stanza è passata a un’altra macchina del server. Rientra.',
  'cluster-unreachable':
    'Le macchine del server non si raggiungono, e questa non ha la stanza. Riprova fra un ' +
    'momento.',
  'node-silent': 'La macchina che ha la stanza non risponde. Riprova fra un momento.',
  'node-answer':
    'La macchina che ha la stanza ha mandato una risposta inutilizzabile. Ricarica la ' +
    'pagina, poi riprova.',
  'server-full': 'Il server è pieno. Riprova più tardi.',
  'too-many-requests':
    'Dalla tua rete sono arrivate troppe richieste. Aspetta un momento, poi riprova.',
  'host-not-allowed':
    'Il server non risponde al nome nella barra degli indirizzi. L’amministratore può ' +
    'permetterlo con --hostname.',
  'origin-not-allowed':
    'Il server non accetta pagine di altri host. Apri la pagina all’indirizzo del server ' +
    'stesso.',
  'content-type': 'Il server non ha accettato i dati di questa pagina. Ricaricala, poi riprova.',
  'body-too-large': 'Era più di quanto il server accetti in una volta. Invia meno.',
  'room-reopened': 'La stanza si riapre. Fra un momento sei di nuovo dentro.',
  'server-busy':
    'Il server è sovraccarico, e non fa entrare nessuno finché le persone nelle sue stanze ' +
    'non si sentono di nuovo bene. Riprova fra un momento.',
  'join-flood': 'Dalla tua rete sono arrivati troppi ingressi. Aspetta un momento, poi rientra.',
  'not-found': 'Ora in questa stanza non c’è nessuno. Rientra, o controlla il link.',
  'operator-off':
    'Su questo server il ritardo non si può cambiare. L’amministratore può permetterlo ' +
    'avviandolo con --operator-token.',
  'operator-token': 'Questo non è il token dell’amministratore del server. Scrivilo di nuovo.',
  'operator-offline':
    'Il server non si è potuto raggiungere, quindi nulla è cambiato. Controlla la rete e ' +
    'riprova.',
  'captions-off':
    'Nessuno in questa stanza ha chiesto i sottotitoli. Attivali prima nelle impostazioni.',
  'captions-taken': 'Un altro programma scrive già i sottotitoli di questa stanza. Fermalo prima.',
  'caption-long': 'Un sottotitolo ha al massimo 240 caratteri. Invia le frasi lunghe in più parti.',
  'chat-flood': 'Scrivi in fretta. Aspetta un momento: i tuoi messaggi vengono inviati uno a uno.',
  'chat-offline':
    'Ora non c’è connessione. Il tuo messaggio aspetta qui, e parte quando torna la ' +
    'connessione.',
  'chat-full': 'Troppi messaggi aspettano di partire. Aspetta che siano inviati, poi invia questo.',
  'tracks-full':
    'Il server non ha spazio per un’altra base. Togline una che non serve più, o aggiungine ' +
    'una più breve.',
  'track-unreadable':
    'Questo browser non legge quel file come suono. Scegli un file MP3, WAV, Ogg, M4A o FLAC.',
  'track-too-long': 'Dura più di un quarto d’ora. Scegli un file più breve.',
  'track-not-sent':
    'La base non si è potuta inviare al server. Controlla la rete, poi aggiungila di nuovo.',
  'track-not-heard': 'La base non si è potuta scaricare, quindi non la senti. Controlla la rete.',
  'recording-off':
    'Su questo server non si può registrare nulla. L’amministratore può permetterlo con ' +
    '--recording-limit.',
  'recording-limit':
    'Il server non ha spazio per altre registrazioni. Scarica ciò che ti serve, e aspetta che ' +
    'le più vecchie siano cancellate.',
  'recording-share':
    'Questa stanza, tu o la tua rete avete già usato la vostra parte di spazio. Scarica ciò ' +
    'che ti serve, e aspetta che le registrazioni più vecchie siano cancellate.',
  'recording-others':
    'Può terminarla solo chi l’ha cominciata, o un moderatore. La tua voce resta fuori se ' +
    'disattivi «Registrami».',
  'recording-failed':
    'La registrazione non si è potuta scrivere, ed è finita. Ciò che c’era prima è tenuto; ' +
    'cominciane un’altra, o chiedi all’amministratore del server.',
  'recording-ended-away':
    'La registrazione è finita mentre non avevi connessione. Chi può registrare può cominciarne ' +
    'un’altra.',
  'own-refused':
    'Solo chi è stato registrato può aggiungere un file alla registrazione della stanza, dopo ' +
    'la fine, e al massimo cinque. Manda il file all’organizzatore in un altro modo.',
  'own-invalid':
    'Il server non ha potuto usare il file. Scaricalo e mandalo all’organizzatore in un altro ' +
    'modo.',
  'recording-deleted': 'La registrazione è stata cancellata. Chiedi una copia a chi l’ha fatta.',
  'range-beyond': 'Il file è più breve. Ricarica la pagina.',
  'recording-busy':
    'La registrazione è stata cominciata e finita troppo spesso. Aspetta un momento, poi ' +
    'ricomincia.',
  'recording-files':
    'I file della registrazione non si sono potuti scaricare. Riapri «Registra» fra un ' +
    'momento, o chiedi all’amministratore del server.',
  'panel-failed':
    'Questo pannello non si è potuto caricare. Controlla la rete, poi chiudilo e riaprilo.',
  'plots-failed': 'I grafici non si sono potuti caricare. Chiudi questo pannello e riaprilo.',
  'qr-failed':
    'Non è stato possibile generare il codice QR. Controlla la rete e premi di nuovo, o copia ' +
    'il link.',
  'copy-failed':
    'Il browser non ha permesso di copiare. Copia il link dalla barra degli indirizzi, o ' +
    'seleziona tu il testo.',
  internal:
    'Si è verificato un errore del server, annotato nel suo registro. Rientra fra un momento. ' +
    'Se succede ancora, dillo all’amministratore del server.',
  unknown: 'Qualcosa di inatteso è andato storto. Ricarica la pagina e rientra.',

  'token-missing':
    'Per entrare qui serve un invito. Chiedi a chi tiene la chiamata un link con un token.',
  'token-invalid':
    'L’invito nel link non è valido. Copia di nuovo il link intero, o chiedine uno nuovo.',
  'token-expired': 'L’invito è scaduto. Chiedi un link nuovo a chi ti ha mandato l’invito.',
  'token-early': 'L’invito non è ancora valido. Riprova all’ora della chiamata.',
  'token-endless':
    'L’invito non ha fine, quindi il server non lo accetta. Chiedi un link nuovo a chi ti ha ' +
    'mandato l’invito.',
  'token-foreign': 'L’invito non è per questo server. Controlla il link, o chiedine uno nuovo.',
  'token-room':
    'L’invito non ti fa entrare in questa stanza. Usa il link della stanza indicata ' +
    'nell’invito.',
  banned:
    'Un moderatore ti ha escluso da questa stanza per un po’. Chiedigli, se pensi che sia un ' +
    'errore.',
  removed: 'Un moderatore ti ha fatto uscire dalla stanza. Chiedigli prima di rientrare.',
  'room-locked': 'La stanza è chiusa. Chiedi a qualcuno che c’è dentro di aprirla, poi rientra.',
  'password-missing': 'La stanza ha una password. Scrivila, poi rientra.',
  'password-wrong': 'Questa non è la password della stanza. Scrivila di nuovo.',
  'password-flood': 'La password è stata provata troppe volte. Aspetta un minuto, poi riprova.',
  'lobby-full': 'Troppe persone aspettano di entrare in questa stanza. Riprova più tardi.',
  'turned-away': 'Non ti hanno fatto entrare nella stanza. Chiedi a un moderatore, poi rientra.',
  'stream-key':
    'Questa non è la chiave d’invio della stanza. Copia la chiave nel pannello «Stanza», e ' +
    'scegli l’utente «source».',
  'stream-taken':
    'Un altro programma invia a questa stanza con la sua chiave. Ferma quello, poi invia di ' +
    'nuovo.',
  'stream-format': 'Il flusso non è Opus in Ogg. Scegli Opus come formato nel programma che invia.',
  'stream-stalled':
    'Nel flusso non è arrivato suono per troppo tempo, quindi è finito. Ricomincia a inviare.',
  'ban-place':
    'La persona è stata fatta uscire, ma non è stato possibile escluderla: viene dalla ' +
    'macchina del server e non ha un token.',
  'room-ended':
    'Un moderatore ha terminato la chiamata per tutti. Per continuare a parlare, rientra.',
  'not-allowed': 'In questa stanza non puoi farlo. Chiedi a un moderatore.',
  'person-unknown': 'Questa persona non è più nella stanza. Non c’è nulla da fare.',
  'forward-only':
    'Questa stanza inoltra il suono senza mixarlo, e una connessione HTTP/1 non lo regge. ' +
    'Scegli un’altra connessione in «Avanzate», o un altro browser.',
  'forward-reply':
    'Qualcuno qui è connesso via HTTP/1, o ascolta soltanto, e non gli si può inoltrare il ' +
    'suono. Scegli «Inoltrato nelle stanze piccole, altrimenti mixato», o riprova quando è ' +
    'uscito.',
  'broadcast-mix':
    'Questa stanza non può andare in diretta, perché il server non mixa il suo suono. ' +
    'Faglielo mixare in «Stanza», o apri un’altra stanza.',
  'groups-limit': 'Una stanza non può avere tanti gruppi. Aprine al massimo 20.',
  'group-unknown': 'Questo gruppo non c’è più. Scegline uno aperto.',
  'groups-broadcast':
    'Una stanza non può essere in diretta e avere gruppi insieme. Termina prima la diretta o ' +
    'i gruppi.',
  'language-tag': 'Questo non è il codice di una lingua. Scegline una dalla lista.',
  'languages-limit': 'Si interpreta già in otto lingue. Prima terminane una.',
  'language-broadcast': 'Gli interpreti ci sono solo in diretta. Prima vai in diretta.',
  'language-unknown': 'Ora nessuno interpreta in questa lingua. Scegline una tra quelle presenti.',
  'language-relay': 'Questo server non ha interpreti. Continui a sentire chi parla.',
  'e2e-room':
    'Questa stanza è crittografata end-to-end, quindi il server non può mixarla né ' +
    'registrarla. Apri un’altra stanza per questo.',
  'e2e-only':
    'Questa stanza è crittografata end-to-end, e il tuo link non ne ha la chiave. Chiedi il ' +
    'link intero, con ciò che segue «#».',
  'e2e-not-here':
    'Il tuo link ha una chiave, ma questa stanza non è crittografata end-to-end. Apri ' +
    'un’altra stanza, o il link senza ciò che segue «#».',
  'e2e-key':
    'Gli altri usano una chiave diversa da quella del tuo link, quindi non potete sentirvi. ' +
    'Chiedi loro il link intero.',
  'muted-by-moderator':
    'Un moderatore ha spento il tuo microfono. Alza la mano per chiedere la parola.',
};

/** @type {typeof import('../failures.js').reasons} */
export const reasons = {
  'no-answer': 'Non ha risposto in tempo: forse la rete la blocca.',
  slower: 'Non aveva ancora risposto quando un’altra era pronta.',
  'not-offered': 'Il server non la offre.',
  'no-webtransport': 'Questo browser non ha WebTransport.',
  'connection-lost': 'Si è aperta, ma non vi è passato nulla.',
  other: 'Non si è potuta aprire.',
};
