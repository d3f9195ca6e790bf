const LISTEN = 'Até lá, você pode ouvir.';

/** @type {typeof import('../failures.js').failureTexts} */
export const failureTexts = {
  'no-microphone':
    'Nenhum microfone foi encontrado. Conecte um, e a chamada vai usá-lo automaticamente. ' +
    LISTEN,
  'microphone-refused':
    'O navegador não pôde usar o microfone. Permita para esta página na barra de endereços, ' +
    `depois toque em “Reativar” na chamada, ou escolha-o em “Microfone”. ${LISTEN}`,
  'microphone-busy':
    'Não foi possível abrir o microfone. Feche outros programas que o usam, ou escolha outro ' +
    `em “Microfone”, que em uma chamada fica em “Configurações”. ${LISTEN}`,
  'microphone-slow':
    'O microfone ainda não está disponível. Se o navegador pedir, permita; ou ouça por ' +
    'enquanto, e ele será usado assim que você permitir.',
  'microphone-ended':
    'O microfone parou de enviar som. Conecte-o de novo, ou escolha outro. ' + LISTEN,
  'microphone-replaced':
    'Seu microfone foi desconectado. O padrão é usado até ele voltar. Conecte-o, ou escolha ' +
    'outro em “Configurações”.',
  'microphone-back': 'Seu microfone está em uso agora. Não há nada a fazer.',
  'microphone-muted':
    'O sistema silenciou seu microfone, então ninguém ouve você. Ligue-o de novo no próprio ' +
    'dispositivo ou nas configurações do sistema.',
  'microphone-insecure':
    'Navegadores só permitem um microfone em uma página segura. Abra esta página com ' +
    'https://, ou em localhost. ' +
    LISTEN,
  'no-audio-worklet':
    'Falta a este navegador o AudioWorklet, de que seu microfone precisa. Use uma versão ' +
    'atual do Chrome, Edge, Firefox ou Safari. ' +
    LISTEN,
  'no-audio':
    'Este navegador não consegue tocar uma chamada, porque lhe falta AudioWorklet ou ' +
    'WebAssembly. Use uma versão atual do Chrome, Edge, Firefox ou Safari.',
  'no-worker':
    'Não foi possível carregar uma parte desta página. Verifique sua rede, recarregue a ' +
    'página e entre de novo.',
  'no-sound':
    'O navegador não conseguiu iniciar o som. Feche outras abas e programas que tocam ou ' +
    'gravam, recarregue a página e entre de novo.',
  'sound-blocked': 'O navegador segura o som até você tocar em algo. Toque em “Ligar o som”.',
  'no-output':
    'Nenhum alto-falante foi encontrado, ou outro programa o ocupa. Sem ele, este navegador ' +
    'também não usa microfone. Conecte um, ou feche aquele programa; depois recarregue a ' +
    'página e entre de novo.',
  'sound-interrupted':
    'Outro programa usa o som deste dispositivo, como uma ligação. Ele volta sozinho, ou ' +
    'quando você tocar em “Ligar o som”.',
  'room-mono':
    'Esta sala é mono, porque começou assim: esquerda e direita são ouvidas juntas. Para ' +
    'estéreo, seja a primeira pessoa de uma sala nova.',
  'stereo-processed':
    'Este navegador iguala os dois lados do microfone enquanto cancela eco, reduz ruído ou ' +
    'ajusta o volume. Para que ouçam você em estéreo, use fones e escolha “Música” em ' +
    '“Configurações”.',
  'sound-resumed':
    'O sistema tinha parado o som por um momento. Você e os outros já se ouvem de novo.',
  'computer-busy':
    'Este computador está ocupado demais para a chamada: sua voz pode chegar tarde, e você ' +
    'pode ouvir falhas. Feche outros programas e abas, e ligue o carregador.',
  'speaker-replaced':
    'Seu alto-falante foi desconectado. O padrão é usado até ele voltar. Conecte-o, ou ' +
    'escolha outro em “Configurações”.',
  'speaker-back': 'Seu alto-falante está em uso de novo. Não há nada a fazer.',
  'share-silent':
    'O que você escolheu veio sem som. Compartilhe de novo, escolha uma aba e marque ' +
    '“Compartilhar também o áudio da guia”.',
  'share-failed':
    'Não foi possível compartilhar esse som. Escolha outra aba ou outro arquivo, ou ' +
    'recarregue a página e tente de novo.',
  'offer-without-opus':
    'A oferta não tem um Opus que o servidor possa usar. Escolha Opus no programa que envia.',
  'webrtc-off':
    'O WebRTC está desativado neste servidor. Peça ao administrador que o inicie com --webrtc.',
  'pcm-off':
    'O som sem perdas não é possível nesta sala, por isso é comprimido como de costume. Ele ' +
    'precisa de quadros de 2,5 ou 5 ms, WebTransport ou WebSocket, e nenhuma criptografia de ' +
    'ponta a ponta: escolha isso em uma sala nova.',
  'own-full':
    'Não há mais espaço para a gravação neste dispositivo. O que foi gravado fica guardado: ' +
    'baixe, exclua arquivos antigos e comece de novo.',
  'own-slow':
    'O disco deste dispositivo é lento demais, por isso a gravação parou. O que foi gravado ' +
    'fica guardado. Feche outros programas e comece de novo.',
  'own-rate':
    'O som da sala agora tem outra taxa de amostragem, por isso a gravação parou. O que foi ' +
    'gravado fica guardado. Comece de novo.',
  'own-failed':
    'Não é possível salvar nem ler o arquivo neste dispositivo. Saia da janela anônima, se ' +
    'for uma, ou recarregue a página e tente de novo.',
  'own-empty':
    'Nenhum som chegou, por isso nenhum arquivo foi guardado. Verifique seu microfone e grave ' +
    'de novo.',
  'own-not-sent':
    'Não foi possível enviar o arquivo. Ele continua neste dispositivo: verifique sua rede e ' +
    'tente de novo.',
  'noise-model':
    'A redução de ruído mais forte não pode ser usada agora, então a do navegador está ' +
    'ligada. Para tentar de novo, desligue e ligue em “Configurações”.',
  'no-speaker':
    'Não foi possível usar esse alto-falante, então o som continua onde estava. Conecte-o de ' +
    'novo, ou escolha outro.',

  'local-network':
    'O servidor desta sala está em uma rede local, então o navegador pergunta se esta página ' +
    'pode se conectar a dispositivos dela. Escolha “Permitir” para entrar.',
  'local-network-refused':
    'O servidor desta sala está em uma rede local, e o navegador não deixa esta página se ' +
    'conectar a nenhum dispositivo dela. Permita pelo ícone ao lado do endereço, e entre de ' +
    'novo.',
  'connection-failed':
    'Não foi possível chegar ao servidor. Verifique sua rede, ou escolha a conexão automática ' +
    'em “Avançado”, e entre de novo.',
  'no-answer':
    'O servidor não respondeu a tempo. Verifique sua rede, ou escolha a conexão automática em ' +
    '“Avançado”, e entre de novo.',
  'not-offered':
    'O servidor não oferece a conexão que você escolheu. Escolha “Automática” em “Avançado”, ' +
    'e entre de novo.',
  'no-webtransport':
    'Este navegador não tem WebTransport aqui. Deixe a conexão em “Automática”, que usa então ' +
    'um WebSocket.',
  'connection-lost': 'A conexão com o servidor foi perdida. Verifique sua rede, e entre de novo.',
  'session-lost': 'A conexão foi interrompida. Verifique sua rede, e entre de novo.',
  'session-unknown':
    'O servidor encerrou esta chamada, porque fazia um tempo que não recebia nada desta ' +
    'página. Entre de novo.',
  'idle-timeout':
    'Nada veio desta página por tempo demais, então o servidor encerrou a chamada. Entre de ' +
    'novo.',
  'join-timeout': 'Entrar demorou demais. Verifique sua rede, e entre de novo.',
  reconnecting:
    'A conexão foi interrompida. Permaneça nesta página: ela está se reconectando, e seu ' +
    'lugar é guardado por meio minuto.',
  'reconnecting-long':
    'Faz um tempo que não há conexão, então para os outros você saiu. Verifique a rede deste ' +
    'dispositivo: você volta automaticamente, com seu nome, assim que houver uma.',
  'resumed-elsewhere':
    'Esta chamada continua em outra aba ou janela. Para trazê-la para cá, entre de novo.',
  'protocol-version':
    'Esta página e o servidor são de versões diferentes. Recarregue a página, e entre de ' +
    'novo.',
  draining: 'O servidor vai reiniciar, e ninguém mais pode entrar. Tente em um minuto.',
  'call-draining':
    'O servidor vai reiniciar. A chamada será interrompida, e volta assim que puder.',
  'server-closing': 'O servidor está desligando, talvez só para reiniciar. Tente em um momento.',

  'bad-request': 'O servidor não entendeu esta página. Recarregue, e entre de novo.',
  'room-name': 'O nome de uma sala tem de 1 a 64 letras, dígitos, “-” ou “_”. Escolha outro.',
  'user-name': 'Um nome tem de 1 a 40 caracteres, nenhum de controle. Escolha outro.',
  'room-full': 'A sala está cheia. Espere alguém sair, ou use outra sala.',
  'too-many-rooms':
    'O servidor tem tantas salas quanto permite. Tente mais tarde, ou entre em uma que ' +
    'existe.',
  moved: 'A sala passou para outra máquina do servidor. Entre de novo.',
  'cluster-unreachable':
    'As máquinas do servidor não se alcançam agora, e esta não tem a sala. Tente em um ' +
    'momento.',
  'node-silent': 'A máquina que tem a sala não responde. Tente em um momento.',
  'node-answer':
    'A máquina que tem a sala enviou uma resposta que não serve. Recarregue a página e tente ' +
    'de novo.',
  'server-full': 'O servidor está cheio. Tente mais tarde.',
  'too-many-requests': 'Sua rede enviou solicitações demais. Espere um momento e tente de novo.',
  'host-not-allowed':
    'O servidor não responde ao nome da barra de endereços. O administrador pode permiti-lo ' +
    'com --hostname.',
  'origin-not-allowed':
    'O servidor não aceita páginas de outros hosts. Abra a página no endereço do próprio ' +
    'servidor.',
  'content-type':
    'O servidor não aceitou os dados que esta página enviou. Recarregue e tente de novo.',
  'body-too-large': 'Era mais do que o servidor aceita de uma vez. Envie menos.',
  'room-reopened': 'A sala está reabrindo. Você volta em um momento.',
  'server-busy':
    'O servidor está sobrecarregado, e não deixa mais ninguém entrar até que as pessoas das ' +
    'salas se ouçam bem de novo. Tente em um momento.',
  'join-flood': 'Houve entradas demais da sua rede. Espere um momento, e entre de novo.',
  'not-found': 'Não há ninguém nesta sala agora. Entre de novo, ou verifique o link.',
  'operator-off':
    'Neste servidor o atraso não pode ser mudado. O administrador pode permitir isso ' +
    'iniciando-o com --operator-token.',
  'operator-token': 'Esse não é o token de administrador do servidor. Digite de novo.',
  'operator-offline':
    'Não foi possível chegar ao servidor, então nada mudou. Verifique sua rede e tente de ' +
    'novo.',
  'captions-off': 'Ninguém nesta sala pediu legendas. Ative-as primeiro nas configurações.',
  'captions-taken': 'Outro programa já escreve as legendas desta sala. Pare-o primeiro.',
  'caption-long': 'Uma legenda tem no máximo 240 caracteres. Envie as frases longas em partes.',
  'chat-flood': 'Você escreve rápido. Espere um momento: suas mensagens são enviadas uma a uma.',
  'chat-offline':
    'Não há conexão agora. Sua mensagem espera aqui, e é enviada quando a conexão voltar.',
  'chat-full': 'Mensagens demais esperam para ser enviadas. Espere que saiam, e envie esta depois.',
  'tracks-full':
    'O servidor não tem espaço para outro acompanhamento. Remova um que não faz mais falta, ' +
    'ou adicione um mais curto.',
  'track-unreadable':
    'Este navegador não lê esse arquivo como som. Escolha um arquivo MP3, WAV, Ogg, M4A ou ' +
    'FLAC.',
  'track-too-long': 'Dura mais de um quarto de hora. Escolha um arquivo mais curto.',
  'track-not-sent':
    'Não foi possível enviar o acompanhamento ao servidor. Verifique sua rede, e adicione de ' +
    'novo.',
  'track-not-heard':
    'Não foi possível baixar o acompanhamento, então você não o ouve. Verifique sua rede.',
  'recording-off':
    'Nada pode ser gravado neste servidor. O administrador pode permitir isso com ' +
    '--recording-limit.',
  'recording-limit':
    'O servidor não tem espaço para mais gravações. Baixe o que precisar, e espere que as ' +
    'mais antigas sejam apagadas.',
  'recording-share':
    'Esta sala, você ou sua rede já usaram a sua parte do espaço para gravações. Baixe o que ' +
    'precisar, e espere que as mais antigas sejam apagadas.',
  'recording-others':
    'Só quem começou a gravação, ou um moderador, pode encerrá-la. Sua própria voz fica de ' +
    'fora se você desligar “Gravar minha voz”.',
  'recording-failed':
    'Não foi possível escrever a gravação, e ela parou. O que foi gravado antes fica ' +
    'guardado; comece outra, ou fale com o administrador do servidor.',
  'recording-ended-away':
    'A gravação terminou enquanto você estava sem conexão. Quem pode gravar pode começar outra.',
  'own-refused':
    'Só quem foi gravado pode adicionar um arquivo à gravação da sala, depois do fim dela, e ' +
    'no máximo cinco. Envie o arquivo ao anfitrião de outra forma.',
  'own-invalid':
    'O servidor não conseguiu usar o arquivo. Baixe-o e envie ao anfitrião de outra forma.',
  'recording-deleted': 'A gravação foi apagada. Peça uma cópia a quem a fez.',
  'range-beyond': 'O arquivo é mais curto. Recarregue a página.',
  'recording-busy':
    'A gravação foi começada e encerrada vezes demais. Espere um momento, e comece de novo.',
  'recording-files':
    'Não foi possível baixar os arquivos da gravação. Abra “Gravar” de novo em um momento, ou ' +
    'fale com o administrador do servidor.',
  'panel-failed':
    'Não foi possível carregar este painel. Verifique sua rede, feche-o e abra de novo.',
  'plots-failed': 'Não foi possível carregar os gráficos. Feche este painel e abra de novo.',
  'qr-failed':
    'Não foi possível gerar o código QR. Verifique sua rede e toque de novo, ou copie o link.',
  'copy-failed':
    'O navegador não permitiu copiar. Copie o link da barra de endereços, ou selecione o ' +
    'texto manualmente.',
  internal:
    'Ocorreu um erro no servidor, que está no registro dele. Entre de novo em um momento. Se ' +
    'acontecer outra vez, avise o administrador do servidor.',
  unknown: 'Algo inesperado deu errado. Recarregue a página e entre de novo.',

  'token-missing':
    'Para entrar aqui é preciso um convite. Peça a quem conduz a chamada um link com token.',
  'token-invalid': 'O convite do link não é válido. Copie o link inteiro de novo, ou peça outro.',
  'token-expired': 'O convite expirou. Peça um link novo a quem convidou você.',
  'token-early': 'O convite ainda não é válido. Tente na hora da chamada.',
  'token-endless':
    'O convite não tem fim, então o servidor não o aceita. Peça um link novo a quem convidou ' +
    'você.',
  'token-foreign': 'O convite não foi feito para este servidor. Verifique o link, ou peça outro.',
  'token-room': 'O convite não abre esta sala. Use o link da sala indicada no convite.',
  banned: 'Um moderador baniu você desta sala por um tempo. Fale com ele se achar que é um engano.',
  removed: 'Um moderador tirou você da sala. Fale com ele antes de entrar de novo.',
  'room-locked': 'A sala está trancada. Peça a alguém de dentro que a destranque, e entre de novo.',
  'password-missing': 'A sala tem uma senha. Digite-a, e entre de novo.',
  'password-wrong': 'Essa não é a senha da sala. Digite de novo.',
  'password-flood': 'A senha foi tentada vezes demais. Espere um minuto, e tente de novo.',
  'lobby-full': 'Pessoas demais esperam para entrar nesta sala. Tente mais tarde.',
  'turned-away': 'Não deixaram você entrar na sala. Fale com um moderador, e entre de novo.',
  'stream-key':
    'Essa não é a chave de transmissão da sala. Copie a chave no painel “Sala”, e escolha o ' +
    'usuário “source”.',
  'stream-taken':
    'Outro programa está enviando a esta sala com a chave dela. Pare esse, e envie de novo.',
  'stream-format': 'O fluxo não é Opus em Ogg. Escolha Opus como formato no programa que envia.',
  'stream-stalled':
    'Nenhum som veio no fluxo por tempo demais, então ele foi encerrado. Comece a enviar de ' +
    'novo.',
  'ban-place':
    'A pessoa foi tirada da sala, mas não pôde ser banida: ela vem da própria máquina do ' +
    'servidor e não tem token.',
  'room-ended':
    'Um moderador encerrou a chamada para todos. Para continuar a conversa, entre de novo.',
  'not-allowed': 'Você não pode fazer isso nesta sala. Fale com um moderador.',
  'person-unknown': 'Esta pessoa não está mais na sala. Não há nada a fazer.',
  'forward-only':
    'Esta sala repassa o som sem mixar, o que uma conexão HTTP/1 não aguenta. Escolha outra ' +
    'conexão em “Avançado”, ou outro navegador.',
  'forward-reply':
    'Alguém aqui está conectado por HTTP/1, ou só ouve, e o som não pode ser repassado a ' +
    'essa pessoa. Escolha “Repassado em salas pequenas, senão mixado”, ou tente quando ela ' +
    'sair.',
  'broadcast-mix':
    'Esta sala não pode ser transmitida, porque o servidor não mixa o som dela. Faça-o mixar ' +
    'em “Sala”, ou abra outra sala.',
  'groups-limit': 'Uma sala não pode ter tantos grupos. Abra no máximo 20.',
  'group-unknown': 'Esse grupo não existe mais. Escolha um que esteja aberto.',
  'groups-broadcast':
    'Uma sala não pode ser transmitida e ter grupos ao mesmo tempo. Encerre antes a ' +
    'transmissão ou os grupos.',
  'language-tag': 'Isso não é o código de um idioma. Escolha um da lista.',
  'languages-limit': 'Já se interpreta para oito idiomas. Encerre antes um deles.',
  'language-broadcast': 'Só há intérpretes numa transmissão. Comece antes a transmitir.',
  'language-unknown': 'Ninguém interpreta para esse idioma agora. Escolha outro dos que há.',
  'language-relay': 'Este servidor não tem intérpretes. Você continua ouvindo quem fala.',
  'e2e-room':
    'Esta sala é criptografada de ponta a ponta, então o servidor não pode mixar nem gravar. ' +
    'Abra outra sala para isso.',
  'e2e-only':
    'Esta sala é criptografada de ponta a ponta, e seu link não tem a chave. Peça o link ' +
    'inteiro, com o que vem depois de “#”.',
  'e2e-not-here':
    'Seu link tem uma chave, mas esta sala não é criptografada de ponta a ponta. Abra outra ' +
    'sala, ou o link sem o que vem depois de “#”.',
  'e2e-key':
    'Os outros usam outra chave que não a do seu link, então vocês não se ouvem. Peça a eles ' +
    'o link inteiro.',
  'muted-by-moderator': 'Um moderador desligou seu microfone. Levante a mão para pedir a palavra.',
};

/** @type {typeof import('../failures.js').reasons} */
export const reasons = {
  'no-answer': 'Não respondeu a tempo: talvez a rede bloqueie.',
  slower: 'Ainda não tinha respondido quando outra ficou pronta.',
  'not-offered': 'O servidor não a oferece.',
  'no-webtransport': 'Este navegador não tem WebTransport.',
  'connection-lost': 'Foi aberta, mas nada passou por ela.',
  other: 'Não pôde ser aberta.',
};
