const LISTEN = 'Mientras tanto puedes escuchar.';

/** @type {typeof import('../failures.js').failureTexts} */
export const failureTexts = {
  'no-microphone':
    'No se ha encontrado ningún micrófono. Conecta uno, y la llamada lo usará ' +
    `automáticamente. ${LISTEN}`,
  'microphone-refused':
    'El navegador no ha podido usar el micrófono. Permítelo para esta página en la barra de ' +
    `direcciones, y pulsa «Reactivar» en la llamada o elígelo en «Micrófono». ${LISTEN}`,
  'microphone-busy':
    'No se ha podido abrir el micrófono. Cierra otros programas que lo usen, o elige otro en ' +
    `«Micrófono», que en una llamada está en «Ajustes». ${LISTEN}`,
  'microphone-slow':
    'El micrófono aún no está disponible. Si el navegador lo pide, permítelo; o escucha por ' +
    'ahora, y se usará en cuanto lo hagas.',
  'microphone-ended':
    'El micrófono ha dejado de enviar sonido. Vuelve a conectarlo, o elige otro. ' + LISTEN,
  'microphone-replaced':
    'Se ha desconectado tu micrófono. Se usa el predeterminado hasta que vuelva. Conéctalo, o ' +
    'elige otro en «Ajustes».',
  'microphone-back': 'Tu micrófono ya se está usando. No hay nada que hacer.',
  'microphone-muted':
    'El sistema ha silenciado tu micrófono, así que nadie te oye. Vuelve a activarlo en el ' +
    'propio dispositivo o en los ajustes del sistema.',
  'microphone-insecure':
    'Los navegadores solo permiten un micrófono en una página segura. Abre esta página con ' +
    'https://, o en localhost. ' +
    LISTEN,
  'no-audio-worklet':
    'A este navegador le falta AudioWorklet, que tu micrófono necesita. Usa una versión ' +
    'actual de Chrome, Edge, Firefox o Safari. ' +
    LISTEN,
  'no-audio':
    'Este navegador no puede reproducir una llamada, porque le falta AudioWorklet o ' +
    'WebAssembly. Usa una versión actual de Chrome, Edge, Firefox o Safari.',
  'no-worker':
    'No se ha podido cargar una parte de esta página. Comprueba tu red, recarga la página y ' +
    'vuelve a entrar.',
  'no-sound':
    'El navegador no ha podido iniciar el sonido. Cierra otras pestañas y programas que ' +
    'reproduzcan o graben, recarga la página y vuelve a entrar.',
  'sound-blocked':
    'El navegador retiene el sonido hasta que pulses algo. Pulsa «Activar el sonido».',
  'no-output':
    'No se ha encontrado ningún altavoz, u otro programa lo tiene ocupado. Sin él, este ' +
    'navegador tampoco puede usar un micrófono. Conecta uno o cierra ese programa; luego ' +
    'recarga la página y vuelve a entrar.',
  'sound-interrupted':
    'Otro programa usa el sonido de este dispositivo, por ejemplo una llamada telefónica. ' +
    'Vuelve solo, o cuando pulses «Activar el sonido».',
  'room-mono':
    'Esta sala es mono, porque empezó así: la izquierda y la derecha se oyen juntas. Para ' +
    'estéreo, sé la primera persona de una sala nueva.',
  'stereo-processed':
    'Este navegador iguala los dos lados de un micrófono mientras cancela eco, reduce ruido o ' +
    'ajusta el volumen. Para que se te oiga en estéreo, usa auriculares y elige «Música» en ' +
    '«Ajustes».',
  'sound-resumed':
    'El sistema había detenido el sonido un momento. Los demás y tú os volvéis a oír.',
  'computer-busy':
    'Este ordenador está demasiado ocupado para la llamada: quizá se te oiga tarde, y oigas ' +
    'cortes. Cierra otros programas y pestañas, y enchufa el cargador.',
  'speaker-replaced':
    'Se ha desconectado tu altavoz. Se usa el predeterminado hasta que vuelva. Conéctalo, o ' +
    'elige otro en «Ajustes».',
  'speaker-back': 'Tu altavoz se vuelve a usar. No hay nada que hacer.',
  'share-silent':
    'Lo que elegiste llegó sin sonido. Comparte otra vez, elige una pestaña y marca ' +
    '«Compartir también el audio de la pestaña».',
  'share-failed':
    'No se ha podido compartir ese sonido. Elige otra pestaña u otro archivo, o recarga la ' +
    'página e inténtalo de nuevo.',
  'offer-without-opus':
    'La oferta no tiene un Opus que el servidor pueda usar. Elige Opus en el programa que ' +
    'envía.',
  'webrtc-off':
    'WebRTC está desactivado en este servidor. Pide a su administrador que lo inicie con ' +
    '--webrtc.',
  'pcm-off':
    'El sonido sin pérdidas no es posible en esta sala, así que se comprime como siempre. ' +
    'Necesita tramas de 2,5 o 5 ms, WebTransport o WebSocket, y ningún cifrado de extremo a ' +
    'extremo: elígelos para una sala nueva.',
  'own-full':
    'No queda espacio para la grabación en este dispositivo. Lo grabado se conserva: ' +
    'descárgalo, elimina archivos antiguos y empieza de nuevo.',
  'own-slow':
    'El disco de este dispositivo es demasiado lento, así que la grabación se ha detenido. Lo ' +
    'grabado se conserva. Cierra otros programas y empieza de nuevo.',
  'own-rate':
    'El sonido de la sala tiene ahora otra frecuencia de muestreo, así que la grabación se ha ' +
    'detenido. Lo grabado se conserva. Empieza de nuevo.',
  'own-failed':
    'El archivo no se puede escribir ni leer en este dispositivo. Sal de la ventana privada si ' +
    'lo es, o recarga la página e inténtalo de nuevo.',
  'own-empty':
    'No llegó ningún sonido, así que no se guardó ningún archivo. Revisa tu micrófono y graba ' +
    'de nuevo.',
  'own-not-sent':
    'No se ha podido enviar el archivo. Sigue en este dispositivo: revisa tu red e inténtalo ' +
    'de nuevo.',
  'noise-model':
    'La reducción de ruido reforzada no se puede usar ahora, así que está activa la de tu ' +
    'navegador. Para volver a intentarlo, desactívala y actívala en «Ajustes».',
  'no-speaker':
    'No se ha podido usar ese altavoz, así que el sonido sigue donde estaba. Vuelve a ' +
    'conectarlo, o elige otro.',

  'local-network':
    'El servidor de esta sala está en una red local, así que el navegador pregunta si esta ' +
    'página puede conectarse a dispositivos de ella. Elige «Permitir» para entrar.',
  'local-network-refused':
    'El servidor de esta sala está en una red local, y el navegador no deja que esta página ' +
    'se conecte a ningún dispositivo de ella. Permítelo con el icono junto a la dirección, y ' +
    'vuelve a entrar.',
  'connection-failed':
    'No se ha podido llegar al servidor. Comprueba tu red, o elige la conexión automática en ' +
    '«Avanzado», y vuelve a entrar.',
  'no-answer':
    'El servidor no ha respondido a tiempo. Comprueba tu red, o elige la conexión automática ' +
    'en «Avanzado», y vuelve a entrar.',
  'not-offered':
    'El servidor no ofrece la conexión que elegiste. Elige «Automática» en «Avanzado», y ' +
    'vuelve a entrar.',
  'no-webtransport':
    'Este navegador no tiene WebTransport aquí. Deja la conexión en «Automática», que toma ' +
    'entonces un WebSocket.',
  'connection-lost':
    'Se ha perdido la conexión con el servidor. Comprueba tu red, y vuelve a entrar.',
  'session-lost': 'La conexión se ha interrumpido. Comprueba tu red, y vuelve a entrar.',
  'session-unknown':
    'El servidor ha terminado esta llamada, porque hacía un rato que no sabía nada de esta ' +
    'página. Vuelve a entrar.',
  'idle-timeout':
    'Hace demasiado que no llega nada de esta página, así que el servidor ha terminado la ' +
    'llamada. Vuelve a entrar.',
  'join-timeout': 'Entrar ha tardado demasiado. Comprueba tu red, y vuelve a entrar.',
  reconnecting:
    'La conexión se ha interrumpido. Quédate en esta página: se está reconectando, y tu ' +
    'sitio se guarda medio minuto.',
  'reconnecting-long':
    'Hace un rato que no hay conexión, así que los demás ven que te has ido. Comprueba la red ' +
    'de este dispositivo: vuelves automáticamente, con tu nombre, en cuanto la haya.',
  'resumed-elsewhere':
    'Esta llamada sigue en otra pestaña o ventana. Para traerla aquí, vuelve a entrar.',
  'protocol-version':
    'Esta página y el servidor son de versiones distintas. Recarga la página, y vuelve a ' +
    'entrar.',
  draining:
    'El servidor está a punto de reiniciarse, y ya no puede entrar nadie más. Inténtalo ' +
    'dentro de un minuto.',
  'call-draining':
    'El servidor está a punto de reiniciarse. La llamada se interrumpirá entonces, y volverá ' +
    'en cuanto pueda.',
  'server-closing':
    'El servidor se está apagando, quizá solo para reiniciarse. Inténtalo dentro de un ' +
    'momento.',

  'bad-request': 'El servidor no ha entendido esta página. Recárgala, y vuelve a entrar.',
  'room-name': 'Un nombre de sala tiene de 1 a 64 letras, cifras, «-» o «_». Elige otro.',
  'user-name': 'Un nombre tiene de 1 a 40 caracteres, ninguno de control. Elige otro.',
  'room-full': 'La sala está llena. Espera a que alguien salga, o usa otra sala.',
  'too-many-rooms':
    'El servidor tiene tantas salas como permite. Inténtalo más tarde, o entra en una que ' +
    'exista.',
  moved: 'La sala ha pasado a otra máquina del servidor. Vuelve a entrar.',
  'cluster-unreachable':
    'Las máquinas del servidor no se alcanzan entre sí, y esta no tiene la sala. Inténtalo ' +
    'dentro de un momento.',
  'node-silent': 'La máquina que tiene la sala no responde. Inténtalo dentro de un momento.',
  'node-answer':
    'La máquina que tiene la sala ha enviado una respuesta inservible. Recarga la página e ' +
    'inténtalo de nuevo.',
  'server-full': 'El servidor está lleno. Inténtalo más tarde.',
  'too-many-requests':
    'Han llegado demasiadas peticiones de tu red. Espera un momento e inténtalo de nuevo.',
  'host-not-allowed':
    'El servidor no responde al nombre de la barra de direcciones. El administrador puede ' +
    'permitirlo con --hostname.',
  'origin-not-allowed':
    'El servidor no acepta páginas de otros hosts. Abre la página en la dirección del propio ' +
    'servidor.',
  'content-type':
    'El servidor no ha aceptado los datos que envió esta página. Recárgala e inténtalo de ' +
    'nuevo.',
  'body-too-large': 'Era más de lo que el servidor acepta de una vez. Envía menos.',
  'room-reopened': 'La sala se está reabriendo. Estarás de vuelta en un momento.',
  'server-busy':
    'El servidor está sobrecargado, y no deja entrar a nadie más hasta que se vuelva a oír ' +
    'bien a las personas de sus salas. Inténtalo dentro de un momento.',
  'join-flood': 'Ha habido demasiadas entradas desde tu red. Espera un momento, y vuelve a entrar.',
  'not-found': 'Ahora no hay nadie en esta sala. Vuelve a entrar, o comprueba su enlace.',
  'operator-off':
    'El retardo no se puede cambiar en este servidor. El administrador puede permitirlo ' +
    'iniciándolo con --operator-token.',
  'operator-token': 'Ese no es el token de administrador del servidor. Escríbelo otra vez.',
  'operator-offline':
    'No se ha podido llegar al servidor, así que no se ha cambiado nada. Comprueba tu red e ' +
    'inténtalo de nuevo.',
  'captions-off': 'Nadie en esta sala ha pedido subtítulos. Actívalos primero en los ajustes.',
  'captions-taken': 'Otro programa ya escribe los subtítulos de esta sala. Detenlo primero.',
  'caption-long':
    'Un subtítulo tiene como máximo 240 caracteres. Envía las frases largas por partes.',
  'chat-flood': 'Escribes rápido. Espera un momento: tus mensajes se envían uno a uno.',
  'chat-offline':
    'Ahora no hay conexión. Tu mensaje espera aquí, y se envía cuando vuelva la conexión.',
  'chat-full': 'Hay demasiados mensajes por enviar. Espera a que salgan, y envía este después.',
  'tracks-full':
    'El servidor no tiene espacio para otro acompañamiento. Quita uno que ya no haga falta, o ' +
    'añade uno más corto.',
  'track-unreadable':
    'Este navegador no puede leer ese archivo como sonido. Elige un archivo MP3, WAV, Ogg, ' +
    'M4A o FLAC.',
  'track-too-long': 'Dura más de un cuarto de hora. Elige un archivo más corto.',
  'track-not-sent':
    'No se ha podido enviar el acompañamiento al servidor. Comprueba tu red, y añádelo otra ' +
    'vez.',
  'track-not-heard':
    'No se ha podido descargar el acompañamiento, así que no lo oyes. Comprueba tu red.',
  'recording-off':
    'En este servidor no se puede grabar nada. El administrador puede permitirlo con ' +
    '--recording-limit.',
  'recording-limit':
    'El servidor no tiene espacio para más grabaciones. Descarga lo que necesites, y espera a ' +
    'que se borren las más antiguas.',
  'recording-share':
    'Esta sala, tú o tu red ya habéis usado la parte que os toca del espacio para ' +
    'grabaciones. Descarga lo que necesites, y espera a que se borren las más antiguas.',
  'recording-others':
    'Solo puede pararla quien empezó la grabación, o un moderador. Tu propia voz no estará si ' +
    'desactivas «Grabarme».',
  'recording-failed':
    'No se ha podido escribir la grabación, y se ha parado. Lo grabado antes se conserva; ' +
    'empieza otra, o pregunta al administrador del servidor.',
  'recording-ended-away':
    'La grabación terminó mientras no tenías conexión. Quien puede grabar puede empezar otra.',
  'own-refused':
    'Solo quienes fueron grabados pueden añadir un archivo a la grabación de la sala, después ' +
    'de su final, y cinco como máximo. Envía el archivo al anfitrión por otro medio.',
  'own-invalid':
    'El servidor no ha podido usar el archivo. Descárgalo y envíalo al anfitrión por otro medio.',
  'recording-deleted': 'La grabación se ha borrado. Pide una copia a quien la hizo.',
  'range-beyond': 'El archivo es más corto. Recarga la página.',
  'recording-busy':
    'La grabación se ha empezado y parado demasiadas veces. Espera un momento, y empiézala ' +
    'de nuevo.',
  'recording-files':
    'No se han podido descargar los archivos de la grabación. Abre «Grabar» otra vez dentro ' +
    'de un momento, o pregunta al administrador del servidor.',
  'panel-failed':
    'No se ha podido cargar este panel. Comprueba tu red, ciérralo y ábrelo otra vez.',
  'plots-failed': 'No se han podido cargar los gráficos. Cierra este panel y ábrelo otra vez.',
  'qr-failed':
    'No se ha podido generar el código QR. Comprueba tu red y pulsa otra vez, o copia el ' +
    'enlace.',
  'copy-failed':
    'El navegador no ha permitido copiar. Copia el enlace de la barra de direcciones, o ' +
    'selecciona el texto.',
  internal:
    'Se ha producido un error en el servidor, que está en su registro. Vuelve a entrar dentro ' +
    'de un momento. Si ocurre otra vez, díselo al administrador del servidor.',
  unknown: 'Algo inesperado ha fallado. Recarga la página y vuelve a entrar.',

  'token-missing':
    'Para entrar aquí hace falta una invitación. Pide a quien lleva la llamada un enlace con ' +
    'token.',
  'token-invalid':
    'La invitación del enlace no es válida. Copia otra vez el enlace completo, o pide otro.',
  'token-expired': 'La invitación ha caducado. Pide otro enlace a quien te invitó.',
  'token-early': 'La invitación aún no es válida. Inténtalo a la hora de la llamada.',
  'token-endless':
    'La invitación no tiene fin, así que el servidor no la acepta. Pide otro enlace a quien ' +
    'te invitó.',
  'token-foreign': 'La invitación no se hizo para este servidor. Comprueba el enlace, o pide otro.',
  'token-room':
    'La invitación no te deja entrar en esta sala. Usa el enlace de la sala a la que te ' +
    'invitaron.',
  banned:
    'Un moderador te ha vetado en esta sala por un tiempo. Pregúntale si crees que es un ' +
    'error.',
  removed: 'Un moderador te ha sacado de la sala. Pregúntale antes de volver a entrar.',
  'room-locked': 'La sala está cerrada. Pide a alguien de dentro que la abra, y vuelve a entrar.',
  'password-missing': 'La sala tiene contraseña. Escríbela, y vuelve a entrar.',
  'password-wrong': 'Esa no es la contraseña de la sala. Escríbela otra vez.',
  'password-flood':
    'Se ha probado la contraseña demasiadas veces. Espera un minuto, e inténtalo de nuevo.',
  'lobby-full': 'Demasiadas personas esperan para entrar en esta sala. Inténtalo más tarde.',
  'turned-away': 'No te han dejado entrar en la sala. Pregunta a un moderador, y vuelve a entrar.',
  'stream-key':
    'Esa no es la clave de emisión de la sala. Copia la clave en el panel «Sala», y elige el ' +
    'usuario «source».',
  'stream-taken': 'Otro programa está enviando a esta sala con su clave. Páralo, y envía de nuevo.',
  'stream-format': 'El flujo no es Opus en Ogg. Elige Opus como formato en el programa que envía.',
  'stream-stalled':
    'Hace demasiado que no llega sonido en el flujo, así que ha terminado. Empieza a enviar ' +
    'de nuevo.',
  'ban-place':
    'Se ha sacado a la persona, pero no se la puede vetar: viene de la propia máquina del ' +
    'servidor y no tiene token.',
  'room-ended':
    'Un moderador ha terminado la llamada para todos. Para seguir hablando, vuelve a entrar.',
  'not-allowed': 'No puedes hacer eso en esta sala. Pregunta a un moderador.',
  'person-unknown': 'Esta persona ya no está en la sala. No hay nada que hacer.',
  'forward-only':
    'Esta sala reenvía el sonido sin mezclar, y una conexión HTTP/1 no puede con ello. Elige ' +
    'otra conexión en «Avanzado», u otro navegador.',
  'forward-reply':
    'Alguien aquí está conectado por HTTP/1, o solo escucha, y no se le puede reenviar ' +
    'sonido. Elige «Reenviado en salas pequeñas; si no, mezclado», o inténtalo cuando haya ' +
    'salido.',
  'broadcast-mix':
    'Esta sala no puede emitir en directo, porque el servidor no mezcla su sonido. Haz que lo ' +
    'mezcle en «Sala», o abre otra sala.',
  'groups-limit': 'Una sala no puede tener tantos grupos. Abre 20 como máximo.',
  'group-unknown': 'Ese grupo ya no existe. Elige uno que esté abierto.',
  'groups-broadcast':
    'Una sala no puede emitir en directo y tener grupos a la vez. Termina antes la emisión o ' +
    'los grupos.',
  'language-tag': 'Eso no es el código de un idioma. Elige uno de la lista.',
  'languages-limit': 'Ya se interpreta a ocho idiomas. Termina antes uno de ellos.',
  'language-broadcast': 'Solo hay intérpretes en una emisión. Empieza antes a emitir.',
  'language-unknown': 'Nadie interpreta ahora a ese idioma. Elige otro de los que hay.',
  'language-relay': 'Este servidor no tiene intérpretes. Sigues oyendo a quienes hablan.',
  'e2e-room':
    'Esta sala está cifrada de extremo a extremo, así que el servidor no puede mezclarla ni ' +
    'grabarla. Abre otra sala para eso.',
  'e2e-only':
    'Esta sala está cifrada de extremo a extremo, y tu enlace no tiene su clave. Pide el ' +
    'enlace completo, con lo que va detrás de «#».',
  'e2e-not-here':
    'Tu enlace tiene una clave, pero esta sala no está cifrada de extremo a extremo. Abre ' +
    'otra sala, o el enlace sin lo que va detrás de «#».',
  'e2e-key':
    'Los demás usan otra clave que la de tu enlace, así que no os podéis oír. Pídeles el ' +
    'enlace completo.',
  'muted-by-moderator': 'Un moderador te ha silenciado. Levanta la mano para pedir la palabra.',
};

/** @type {typeof import('../failures.js').reasons} */
export const reasons = {
  'no-answer': 'No respondió a tiempo: quizá la red la bloquee.',
  slower: 'No había respondido cuando otra estaba lista.',
  'not-offered': 'El servidor no la ofrece.',
  'no-webtransport': 'Este navegador no tiene WebTransport.',
  'connection-lost': 'Se abrió, pero no pasó nada por ella.',
  other: 'No se pudo abrir.',
};
