const LISTEN = 'En attendant, vous pouvez écouter.';

/** @type {typeof import('../failures.js').failureTexts} */
export const failureTexts = {
  'no-microphone':
    'Aucun micro n’a été trouvé. Branchez-en un, et l’appel l’utilisera automatiquement. ' + LISTEN,
  'microphone-refused':
    'Le navigateur n’a pas pu utiliser le micro. Autorisez-le pour cette page dans la barre ' +
    'd’adresse, puis appuyez sur « Réactiver » dans l’appel, ou choisissez-le sous « Micro ». ' +
    LISTEN,
  'microphone-busy':
    'Le micro n’a pas pu être ouvert. Fermez les autres programmes qui l’utilisent, ou ' +
    `choisissez-en un autre sous « Micro », dans « Réglages » pendant un appel. ${LISTEN}`,
  'microphone-slow':
    'Le micro n’est pas encore disponible. Si le navigateur le demande, autorisez-le ; ou ' +
    'écoutez pour l’instant, et il sera utilisé dès que vous l’aurez fait.',
  'microphone-ended':
    'Le micro n’envoie plus de son. Rebranchez-le, ou choisissez-en un autre. ' + LISTEN,
  'microphone-replaced':
    'Votre micro a été débranché. Celui par défaut est utilisé jusqu’à son retour. ' +
    'Rebranchez-le, ou choisissez-en un autre dans « Réglages ».',
  'microphone-back': 'Votre micro est maintenant utilisé. Il n’y a rien à faire.',
  'microphone-muted':
    'Le système a coupé votre micro, si bien que personne ne vous entend. Réactivez-le, sur ' +
    'l’appareil lui-même ou dans les réglages du système.',
  'microphone-insecure':
    'Les navigateurs n’autorisent un micro que sur une page sécurisée. Ouvrez cette page ' +
    'avec https://, ou sur localhost. ' +
    LISTEN,
  'no-audio-worklet':
    'Il manque à ce navigateur AudioWorklet, dont votre micro a besoin. Utilisez une version ' +
    'récente de Chrome, Edge, Firefox ou Safari. ' +
    LISTEN,
  'no-audio':
    'Ce navigateur ne peut pas lire un appel, car il lui manque AudioWorklet ou WebAssembly. ' +
    'Utilisez une version récente de Chrome, Edge, Firefox ou Safari.',
  'no-worker':
    'Une partie de cette page n’a pas pu être chargée. Vérifiez votre réseau, puis rechargez ' +
    'la page et participez de nouveau.',
  'no-sound':
    'Le navigateur n’a pas pu démarrer le son. Fermez les autres onglets et programmes qui ' +
    'jouent ou enregistrent, puis rechargez la page et participez de nouveau.',
  'sound-blocked':
    'Le navigateur retient le son jusqu’à ce que vous appuyiez quelque part. Appuyez sur ' +
    '« Activer le son ».',
  'no-output':
    'Aucun haut-parleur n’a été trouvé, ou un autre programme le garde. Sans lui, ce ' +
    'navigateur ne peut pas non plus utiliser de micro. Branchez-en un, ou fermez ce ' +
    'programme ; puis rechargez la page et participez de nouveau.',
  'sound-interrupted':
    'Un autre programme utilise le son de cet appareil, par exemple un appel téléphonique. Il ' +
    'revient tout seul, ou quand vous appuyez sur « Activer le son ».',
  'room-mono':
    'Ce salon est mono, car il a commencé ainsi : gauche et droite s’entendent ensemble. Pour ' +
    'la stéréo, soyez la première personne d’un nouveau salon.',
  'stereo-processed':
    'Ce navigateur rend identiques les deux côtés d’un micro tant qu’il annule l’écho, réduit ' +
    'le bruit ou règle le volume. Pour qu’on vous entende en stéréo, utilisez un casque et ' +
    'choisissez « Musique » dans « Réglages ».',
  'sound-resumed':
    'Le système avait arrêté le son un instant. Vous et les autres vous entendez de nouveau.',
  'computer-busy':
    'Cet ordinateur est trop occupé pour l’appel : on vous entend peut-être tard, et vous ' +
    'entendez des coupures. Fermez d’autres programmes et onglets, et branchez le chargeur.',
  'speaker-replaced':
    'Votre haut-parleur a été débranché. Celui par défaut est utilisé jusqu’à son retour. ' +
    'Rebranchez-le, ou choisissez-en un autre dans « Réglages ».',
  'speaker-back': 'Votre haut-parleur est de nouveau utilisé. Il n’y a rien à faire.',
  'share-silent':
    'Ce que vous avez choisi est arrivé sans son. Partagez de nouveau, choisissez un onglet, ' +
    'et cochez « Partager aussi l’audio de l’onglet ».',
  'share-failed':
    'Ce son n’a pas pu être partagé. Choisissez un autre onglet ou fichier, ou rechargez la ' +
    'page et réessayez.',
  'offer-without-opus':
    'L’offre n’a pas d’Opus que le serveur puisse utiliser. Choisissez Opus dans le ' +
    'programme qui envoie.',
  'webrtc-off':
    'WebRTC est désactivé sur ce serveur. Demandez à son administrateur de le lancer avec ' +
    '--webrtc.',
  'pcm-off':
    'Le son sans perte n’est pas possible dans ce salon, il est donc compressé comme ' +
    'd’habitude. Il faut des trames de 2,5 ou 5 ms, WebTransport ou WebSocket, et pas de ' +
    'chiffrement de bout en bout : choisissez-les pour un nouveau salon.',
  'own-full':
    'Il n’y a plus de place pour l’enregistrement sur cet appareil. Ce qui a été enregistré ' +
    'est gardé : téléchargez-le, supprimez d’anciens fichiers et recommencez.',
  'own-slow':
    'Le disque de cet appareil est trop lent, l’enregistrement s’est donc arrêté. Ce qui a été ' +
    'enregistré est gardé. Fermez d’autres programmes et recommencez.',
  'own-rate':
    'Le son du salon a maintenant une autre fréquence d’échantillonnage, l’enregistrement ' +
    's’est donc arrêté. Ce qui a été enregistré est gardé. Recommencez.',
  'own-failed':
    'Le fichier ne peut être ni écrit ni lu sur cet appareil. Quittez la fenêtre privée si ' +
    'c’en est une, ou rechargez la page et réessayez.',
  'own-empty':
    'Aucun son n’est arrivé, aucun fichier n’a donc été gardé. Vérifiez votre micro, puis ' +
    'enregistrez de nouveau.',
  'own-not-sent':
    'Le fichier n’a pas pu être envoyé. Il est toujours sur cet appareil : vérifiez votre ' +
    'réseau et réessayez.',
  'noise-model':
    'La réduction du bruit renforcée ne peut pas être utilisée maintenant ; celle de votre ' +
    'navigateur la remplace. Pour réessayer, désactivez-la puis réactivez-la dans ' +
    '« Réglages ».',
  'no-speaker':
    'Ce haut-parleur n’a pas pu être utilisé, donc le son reste où il était. Rebranchez-le, ' +
    'ou choisissez-en un autre.',

  'local-network':
    'Le serveur de ce salon est sur un réseau local ; le navigateur demande donc si cette ' +
    'page peut se connecter à des appareils de ce réseau. Choisissez « Autoriser » pour ' +
    'participer.',
  'local-network-refused':
    'Le serveur de ce salon est sur un réseau local, et le navigateur ne laisse cette page se ' +
    'connecter à aucun appareil de ce réseau. Autorisez-le par l’icône à côté de l’adresse, ' +
    'puis participez de nouveau.',
  'connection-failed':
    'Le serveur n’a pas pu être joint. Vérifiez votre réseau, ou choisissez la connexion ' +
    'automatique sous « Avancé », puis participez de nouveau.',
  'no-answer':
    'Le serveur n’a pas répondu à temps. Vérifiez votre réseau, ou choisissez la connexion ' +
    'automatique sous « Avancé », puis participez de nouveau.',
  'not-offered':
    'Le serveur ne propose pas la connexion que vous avez choisie. Choisissez « Automatique » ' +
    'sous « Avancé », puis participez de nouveau.',
  'no-webtransport':
    'Ce navigateur n’a pas WebTransport ici. Laissez la connexion sur « Automatique », qui ' +
    'prend alors un WebSocket.',
  'connection-lost':
    'La connexion au serveur a été perdue. Vérifiez votre réseau, puis participez de nouveau.',
  'session-lost':
    'La connexion a été interrompue. Vérifiez votre réseau, puis participez de nouveau.',
  'session-unknown':
    'Le serveur a mis fin à cet appel, car cette page n’avait plus donné signe de vie depuis ' +
    'un moment. Participez de nouveau.',
  'idle-timeout':
    'Rien n’est venu de cette page depuis trop longtemps, le serveur a donc mis fin à ' +
    'l’appel. Participez de nouveau.',
  'join-timeout':
    'L’entrée a pris trop de temps. Vérifiez votre réseau, puis participez de nouveau.',
  reconnecting:
    'La connexion a été interrompue. Restez sur cette page : elle se reconnecte, et votre ' +
    'place est gardée une demi-minute.',
  'reconnecting-long':
    'Il n’y a plus de connexion depuis un moment ; pour les autres, vous avez donc quitté ' +
    'l’appel. Vérifiez le réseau de cet appareil : vous revenez automatiquement, avec votre ' +
    'nom, dès qu’il y en a un.',
  'resumed-elsewhere':
    'Cet appel continue dans un autre onglet ou une autre fenêtre. Pour l’amener ici, ' +
    'participez de nouveau.',
  'protocol-version':
    'Cette page et le serveur sont de versions différentes. Rechargez la page, puis ' +
    'participez de nouveau.',
  draining:
    'Le serveur va redémarrer, et personne d’autre ne peut entrer. Réessayez dans une minute.',
  'call-draining':
    'Le serveur va redémarrer. L’appel sera alors interrompu, et reprendra dès que possible.',
  'server-closing':
    'Le serveur s’arrête, peut-être juste pour redémarrer. Réessayez dans un instant.',

  'bad-request': 'Le serveur n’a pas compris cette page. Rechargez-la, puis participez de nouveau.',
  'room-name':
    'Un nom de salon a de 1 à 64 lettres, chiffres, « - » ou « _ ». Choisissez-en un autre.',
  'user-name': 'Un nom a de 1 à 40 caractères, sans caractère de contrôle. Choisissez-en un autre.',
  'room-full': 'Le salon est plein. Attendez que quelqu’un parte, ou utilisez un autre salon.',
  'too-many-rooms':
    'Le serveur a autant de salons qu’il en permet. Réessayez plus tard, ou rejoignez un ' +
    'salon existant.',
  moved: 'Le salon est passé sur une autre machine du serveur. Participez de nouveau.',
  'cluster-unreachable':
    'Les machines du serveur ne peuvent pas se joindre, et celle-ci n’a pas le salon. ' +
    'Réessayez dans un instant.',
  'node-silent': 'La machine qui a le salon ne répond pas. Réessayez dans un instant.',
  'node-answer':
    'La machine qui a le salon a envoyé une réponse inutilisable. Rechargez la page, puis ' +
    'réessayez.',
  'server-full': 'Le serveur est plein. Réessayez plus tard.',
  'too-many-requests':
    'Trop de requêtes sont venues de votre réseau. Attendez un moment, puis réessayez.',
  'host-not-allowed':
    'Le serveur ne répond pas au nom de la barre d’adresse. L’administrateur peut l’autoriser ' +
    'avec --hostname.',
  'origin-not-allowed':
    'Le serveur n’accepte pas de pages d’autres hôtes. Ouvrez la page à l’adresse même du ' +
    'serveur.',
  'content-type':
    'Le serveur n’a pas accepté les données envoyées par cette page. Rechargez la page, puis ' +
    'réessayez.',
  'body-too-large': 'C’était plus que le serveur n’accepte en une fois. Envoyez-en moins.',
  'room-reopened': 'Le salon rouvre. Vous serez de retour dans un instant.',
  'server-busy':
    'Le serveur est surchargé, et ne laisse entrer personne d’autre avant que l’on s’entende ' +
    'de nouveau bien dans ses salons. Réessayez dans un instant.',
  'join-flood':
    'Trop d’entrées sont venues de votre réseau. Attendez un moment, puis participez de ' +
    'nouveau.',
  'not-found':
    'Il n’y a personne dans ce salon pour l’instant. Rejoignez-le de nouveau, ou vérifiez ' +
    'son lien.',
  'operator-off':
    'Le délai ne peut pas être changé sur ce serveur. L’administrateur peut le permettre en ' +
    'le démarrant avec --operator-token.',
  'operator-token': 'Ce n’est pas le jeton d’administrateur du serveur. Tapez-le de nouveau.',
  'operator-offline':
    'Le serveur n’a pas pu être joint, donc rien n’a été changé. Vérifiez votre réseau et ' +
    'réessayez.',
  'captions-off':
    'Personne dans ce salon n’a demandé de sous-titres. Activez-les d’abord dans les réglages.',
  'captions-taken':
    'Un autre programme écrit déjà les sous-titres de ce salon. Arrêtez-le d’abord.',
  'caption-long':
    'Un sous-titre a 240 caractères au plus. Envoyez les longues phrases en plusieurs parties.',
  'chat-flood': 'Vous écrivez vite. Attendez un moment : vos messages partent un par un.',
  'chat-offline':
    'Il n’y a pas de connexion pour l’instant. Votre message attend ici, et part dès que la ' +
    'connexion est rétablie.',
  'chat-full':
    'Trop de messages attendent d’être envoyés. Attendez qu’ils soient partis, puis envoyez ' +
    'celui-ci.',
  'tracks-full':
    'Le serveur n’a plus de place pour un autre accompagnement. Retirez-en un qui ne sert ' +
    'plus, ou ajoutez-en un plus court.',
  'track-unreadable':
    'Ce navigateur ne peut pas lire ce fichier comme du son. Choisissez un fichier MP3, WAV, ' +
    'Ogg, M4A ou FLAC.',
  'track-too-long': 'Cela dure plus d’un quart d’heure. Choisissez un fichier plus court.',
  'track-not-sent':
    'L’accompagnement n’a pas pu être envoyé au serveur. Vérifiez votre réseau, puis ' +
    'ajoutez-le de nouveau.',
  'track-not-heard':
    'L’accompagnement n’a pas pu être téléchargé, vous ne l’entendez donc pas. Vérifiez ' +
    'votre réseau.',
  'recording-off':
    'Rien ne peut être enregistré sur ce serveur. L’administrateur peut le permettre avec ' +
    '--recording-limit.',
  'recording-limit':
    'Le serveur n’a plus de place pour des enregistrements. Téléchargez ce dont vous avez ' +
    'besoin, et attendez que de plus anciens soient supprimés.',
  'recording-share':
    'Ce salon, vous ou votre réseau avez utilisé votre part de la place du serveur. ' +
    'Téléchargez ce dont vous avez besoin, et attendez que de plus anciens enregistrements ' +
    'soient supprimés.',
  'recording-others':
    'Seule la personne qui a commencé l’enregistrement, ou un modérateur, peut l’arrêter. ' +
    'Votre propre voix n’y est pas si vous désactivez « M’enregistrer ».',
  'recording-failed':
    'L’enregistrement n’a pas pu être écrit, et s’est arrêté. Ce qui a été enregistré avant ' +
    'est gardé ; commencez-en un autre, ou demandez à l’administrateur du serveur.',
  'recording-ended-away':
    'L’enregistrement s’est arrêté pendant que vous n’aviez pas de connexion. Toute personne ' +
    'autorisée peut en commencer un autre.',
  'own-refused':
    'Seules les personnes enregistrées peuvent ajouter un fichier à l’enregistrement du salon, ' +
    'après sa fin, et cinq au plus. Envoyez le fichier à l’hôte d’une autre façon.',
  'own-invalid':
    'Le serveur n’a pas pu utiliser le fichier. Téléchargez-le et envoyez-le à l’hôte d’une ' +
    'autre façon.',
  'recording-deleted':
    'L’enregistrement a été supprimé. Demandez une copie à la personne qui l’a fait.',
  'range-beyond': 'Le fichier est plus court que cela. Rechargez la page.',
  'recording-busy':
    'L’enregistrement a été commencé et arrêté trop souvent. Attendez un moment, puis ' +
    'recommencez-le.',
  'recording-files':
    'Les fichiers de l’enregistrement n’ont pas pu être téléchargés. Rouvrez « Enregistrer » ' +
    'dans un instant, ou demandez à l’administrateur du serveur.',
  'panel-failed':
    'Ce panneau n’a pas pu être chargé. Vérifiez votre réseau, puis fermez-le et rouvrez-le.',
  'plots-failed': 'Les graphiques n’ont pas pu être chargés. Fermez ce panneau et rouvrez-le.',
  'qr-failed':
    'Le code QR n’a pas pu être généré. Vérifiez votre réseau et appuyez de nouveau, ou ' +
    'copiez le lien.',
  'copy-failed':
    'Le navigateur n’a pas permis de copier. Copiez le lien de la barre d’adresse, ou ' +
    'sélectionnez le texte vous-même.',
  internal:
    'Une erreur s’est produite sur le serveur ; elle est dans son journal. Participez de ' +
    'nouveau dans un instant. Si cela se reproduit, dites-le à l’administrateur du serveur.',
  unknown: 'Un problème inattendu est survenu. Rechargez la page et participez de nouveau.',

  'token-missing':
    'Il faut une invitation pour participer ici. Demandez à la personne qui organise l’appel ' +
    'un lien avec un jeton.',
  'token-invalid':
    'L’invitation du lien n’est pas valable. Copiez de nouveau le lien entier, ou ' +
    'demandez-en un autre.',
  'token-expired':
    'L’invitation a expiré. Demandez un nouveau lien à la personne qui a envoyé l’invitation.',
  'token-early': 'L’invitation n’est pas encore valable. Réessayez à l’heure de l’appel.',
  'token-endless':
    'L’invitation n’a pas de fin, le serveur ne l’accepte donc pas. Demandez un nouveau lien ' +
    'à la personne qui a envoyé l’invitation.',
  'token-foreign':
    'L’invitation n’a pas été faite pour ce serveur. Vérifiez le lien, ou demandez-en un ' +
    'autre.',
  'token-room':
    'L’invitation ne vous ouvre pas ce salon. Utilisez le lien du salon indiqué dans ' +
    'l’invitation.',
  banned:
    'La modération vous interdit ce salon pour un moment. Adressez-vous à elle si vous pensez ' +
    'que c’est une erreur.',
  removed:
    'La modération vous a fait quitter le salon. Adressez-vous à elle avant de participer de ' +
    'nouveau.',
  'room-locked':
    'Le salon est verrouillé. Demandez à quelqu’un qui y est de le déverrouiller, puis ' +
    'participez de nouveau.',
  'password-missing': 'Le salon a un mot de passe. Tapez-le, puis participez de nouveau.',
  'password-wrong': 'Ce n’est pas le mot de passe du salon. Tapez-le de nouveau.',
  'password-flood':
    'Le mot de passe a été essayé trop de fois. Attendez une minute, puis réessayez.',
  'lobby-full': 'Trop de personnes attendent d’entrer dans ce salon. Réessayez plus tard.',
  'turned-away':
    'On ne vous a pas laissé entrer dans le salon. Demandez à un modérateur, puis participez ' +
    'de nouveau.',
  'stream-key':
    'Ce n’est pas la clé de flux du salon. Copiez la clé dans le panneau « Salon », et ' +
    'choisissez l’utilisateur « source ».',
  'stream-taken':
    'Un autre programme envoie à ce salon avec sa clé de flux. Arrêtez-le, puis envoyez de ' +
    'nouveau.',
  'stream-format':
    'Le flux n’est pas de l’Opus dans Ogg. Choisissez Opus comme format dans le programme ' +
    'qui envoie.',
  'stream-stalled':
    'Aucun son n’est venu dans le flux depuis trop longtemps, il a donc été arrêté. ' +
    'Recommencez à envoyer.',
  'ban-place':
    'La personne a été retirée, mais n’a pas pu être exclue : elle vient de la machine même ' +
    'du serveur et n’a pas de jeton.',
  'room-ended':
    'Un modérateur a terminé l’appel pour tout le monde. Pour continuer à parler, participez ' +
    'de nouveau.',
  'not-allowed': 'Vous ne pouvez pas faire cela dans ce salon. Demandez à un modérateur.',
  'person-unknown': 'Cette personne n’est plus dans le salon. Il n’y a rien à faire.',
  'forward-only':
    'Ce salon transmet le son sans le mixer, ce qu’une connexion HTTP/1 ne permet pas. ' +
    'Choisissez une autre connexion sous « Avancé », ou un autre navigateur.',
  'forward-reply':
    'Quelqu’un ici est connecté par HTTP/1, ou écoute seulement, et le son ne peut pas lui ' +
    'être transmis. Choisissez « Transmis dans les petits salons, sinon mixé », ou réessayez ' +
    'après son départ.',
  'broadcast-mix':
    'Ce salon ne peut pas passer en direct, car le serveur n’en mixe pas le son. Faites-le ' +
    'mixer sous « Salon », ou ouvrez un autre salon.',
  'groups-limit': 'Un salon ne peut pas avoir autant de groupes. Ouvrez-en 20 au plus.',
  'group-unknown': 'Ce groupe n’existe plus. Choisissez-en un qui est ouvert.',
  'groups-broadcast':
    'Un salon ne peut pas être en direct et avoir des groupes à la fois. Terminez d’abord le ' +
    'direct ou les groupes.',
  'language-tag': 'Ce n’est pas le code d’une langue. Choisissez-en une dans la liste.',
  'languages-limit': 'On interprète déjà vers huit langues. Terminez-en une d’abord.',
  'language-broadcast': 'Il n’y a d’interprètes que dans un direct. Passez d’abord en direct.',
  'language-unknown':
    'Personne n’interprète vers cette langue en ce moment. Choisissez-en une autre.',
  'language-relay':
    'Ce serveur n’a pas d’interprètes. Vous entendez toujours la version originale.',
  'e2e-room':
    'Ce salon est chiffré de bout en bout, le serveur ne peut donc ni le mixer ni ' +
    'l’enregistrer. Ouvrez un autre salon pour cela.',
  'e2e-only':
    'Ce salon est chiffré de bout en bout, et votre lien n’en a pas la clé. Demandez le lien ' +
    'entier, avec ce qui suit le « # ».',
  'e2e-not-here':
    'Votre lien a une clé, mais ce salon n’est pas chiffré de bout en bout. Ouvrez un autre ' +
    'salon, ou le lien sans ce qui suit le « # ».',
  'e2e-key':
    'Les autres utilisent une autre clé que celle de votre lien ; vous ne pouvez donc pas ' +
    'vous entendre. Demandez-leur le lien entier.',
  'muted-by-moderator': 'Un modérateur a coupé votre micro. Levez la main pour demander la parole.',
};

/** @type {typeof import('../failures.js').reasons} */
export const reasons = {
  'no-answer': 'Pas de réponse à temps : le réseau la bloque peut-être.',
  slower: 'Pas encore de réponse quand une autre était prête.',
  'not-offered': 'Le serveur ne la propose pas.',
  'no-webtransport': 'Ce navigateur ne l’a pas.',
  'connection-lost': 'Elle s’est ouverte, mais rien n’y est passé.',
  other: 'Elle n’a pas pu être ouverte.',
};
