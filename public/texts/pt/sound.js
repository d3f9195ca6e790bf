import { timeText } from '../units.js';

/** @type {typeof import('../sound.js').partTexts} */
export const partTexts = {
  microphoneMs: 'Microfones dos outros',
  frameMs: 'Um quadro é preenchido',
  serverDelayMs: 'Atraso no servidor',
  wayMs: 'Caminho pela rede',
  playoutMs: 'Buffer de reprodução',
  outputMs: 'Espera pela placa de som',
  codecMs: 'Antecipação do codec',
  laterMs: 'Atraso extra de quem chega tarde',
  speakerMs: 'Placa de som e alto-falante',
};

/** @type {typeof import('../sound.js').savingTexts} */
export const savingTexts = {
  frameMs: 'Abra a sala com quadros de 2,5 ms',
  serverDelayMs: 'Peça a quem tem o som atrasado que use cabo em vez de Wi-Fi',
  playoutMs: 'Use cabo em vez de Wi-Fi, e feche o que ocupa este computador',
  outputMs: 'Use uma placa de som que aceite o som em pedaços menores, e não Bluetooth',
  speakerMs: 'Use alto-falantes ou fones com fio, não Bluetooth',
};

/** @type {typeof import('../sound.js').figureTexts} */
export const figureTexts = {
  received: 'Som recebido, no total',
  received10s: 'Som recebido, últimos 10 s',
  lost: 'Pacotes perdidos',
  late: 'Pacotes atrasados',
  early: 'Pacotes adiantados',
  duplicate: 'Pacotes duplicados',
  concealed: 'Quadros interpolados',
  recovered: 'Quadros recuperados por redundância',
  gaps: 'Falhas no alto-falante',
  jitter: 'Jitter; o que ele exige',
  drift: 'Desvio da placa de som',
};

/** @type {typeof import('../sound.js').soundTexts} */
export const soundTexts = {
  soundSum: 'Atraso do que você ouve',
  soundSumHint: 'O atraso no servidor inclui o caminho de quem fala até o servidor.',
  soundSumDevices: 'Não inclui o que os microfones dos outros acrescentam.',
  soundSumNoDevices: 'É sem as placas de som: seu navegador não diz o que a sua acrescenta.',
  ownMicrophone: (ms) => `Seu próprio microfone acrescenta ${ms} ao que os outros ouvem de você.`,
  ownSuppression: (ms) => `${ms} do atraso do seu som vêm da redução de ruído.`,
  savings: 'O que o encurtaria',
  saves: (part, ms) => `${savingTexts[part]}: até ${ms} ms.`,
  savesNothing: 'Nada que ajudasse muito: o atraso é quase tão curto quanto pode ser aqui.',
  metronome: 'Metrônomo',
  metronomeBpm: 'Batidas por minuto',
  metronomeBeats: 'Batidas por compasso',
  metronomeStart: 'Iniciar para todos',
  metronomeStop: 'Parar para todos',
  metronomeTap: 'Marcar o andamento',
  metronomeHeard: 'Eu ouço',
  metronomeOff: 'Está parado.',
  metronomeBy: (name, bpm) => `${name} ajustou: ${bpm} batidas por minuto.`,
  metronomeBegan: (name, bpm) => `${name} iniciou o metrônomo: ${bpm} batidas por minuto.`,
  metronomeEnded: (name) => `${name} parou o metrônomo.`,
  metronomeHint:
    'Todos ouvem cada batida no mesmo momento, qualquer que seja o atraso. Se você toca na ' +
    'batida, todos os outros ouvem você nela. Para dar o andamento, toque em “Marcar o ' +
    'andamento” a cada batida. Use fones, ou o microfone vai captar.',
  share: 'Compartilhar um som',
  shareNone: 'Você não compartilha nenhum.',
  shareTab: 'Compartilhar o som de uma aba',
  shareFile: 'Compartilhar o som de um arquivo',
  shareStop: 'Parar de compartilhar',
  shareReading: 'O arquivo está sendo lido.',
  shareBegins: 'Começando…',
  shareOver: 'Terminou: ninguém mais ouve.',
  shareOfTab: 'Som de uma aba',
  shareOfFile: 'Som de um arquivo',
  shareHint:
    'Ele é enviado junto com a sua voz, sem processamento. Todos o veem ao seu lado e ajustam ' +
    'o volume. Marque “Compartilhar também o áudio da guia” quando o navegador perguntar. Uma ' +
    'aba continua tocando aqui; use fones, ou o microfone vai captar.',
  shareFileHint:
    'Ele é enviado junto com a sua voz, sem processamento. Todos o veem ao seu lado e ajustam ' +
    'o volume. Este navegador não compartilha o som de uma aba; Chrome e Edge em um ' +
    'computador compartilham.',
  shareOn: (name) => `Todos ouvem “${name}” junto com a sua voz.`,
  track: 'Acompanhamento',
  trackNone: 'Não há nenhum.',
  trackBy: (name, track, seconds) => `“${track}”, ${timeText(seconds)}, de ${name}.`,
  trackChoose: 'Escolher um arquivo',
  trackOther: 'Escolher outro arquivo',
  trackSending: 'O arquivo está sendo lido e enviado.',
  trackPlay: 'Tocar para todos',
  trackAgain: 'Do começo',
  trackStop: 'Parar para todos',
  trackRemove: 'Remover',
  trackLevel: 'Em que volume eu ouço',
  trackCame: (name, track) => `${name} adicionou o acompanhamento “${track}”.`,
  trackBegan: (name) => `${name} toca o acompanhamento.`,
  trackStopped: (name) => `${name} parou o acompanhamento.`,
  trackOver: 'O acompanhamento terminou.',
  trackRemoved: (name) => `${name} removeu o acompanhamento.`,
  trackHint:
    'Todos o ouvem no mesmo momento, como o metrônomo, e podem tocar junto. Enquanto o ' +
    'metrônomo está ligado, ele começa com um compasso, depois de um compasso de batidas. ' +
    'Não está em nenhuma gravação. Use fones, ou o microfone vai captar.',
  own: 'Gravar neste dispositivo',
  ownNone: 'Nada está sendo gravado neste dispositivo.',
  ownStart: 'Gravar meu microfone',
  ownStop: 'Parar e guardar',
  ownOn: 'Seu microfone está sendo gravado neste dispositivo.',
  ownKept: 'O arquivo fica neste navegador. Baixe-o para usar em outro lugar.',
  ownFiles: 'Gravações neste dispositivo',
  ownDownload: 'Baixar',
  ownGive: 'Adicionar à gravação da sala',
  ownDelete: 'Excluir',
  ownSending: (percent) => `Enviando: ${percent} %`,
  ownSent: 'O arquivo agora está com a gravação da sala.',
  ownHint:
    'Um arquivo WAV de 24 bits do seu microfone, antes da compressão. Ele continua quando a ' +
    'conexão cai e fica em silêncio enquanto seu microfone está desligado. Cada arquivo sabe ' +
    'seu lugar no relógio da sala, e assim os editores alinham os arquivos de todos os ' +
    'dispositivos.',
  ownUnsupported:
    'Este navegador não consegue guardar um arquivo assim. Use um navegador atual, por HTTPS.',
  panelLoading: 'Carregando…',
  plotsLoading: 'Carregando…',
  plotRoundTrip: 'Ida e volta',
  plotReceived: 'Som recebido',
  plotServerDelay: 'Atraso no servidor',
  plotPlayoutDelay: 'Atraso de reprodução',
  plotLoss: 'Pacotes perdidos',
  plotRate: 'Taxa de bits',
  up: 'envio',
  down: 'recepção',
  lossUp: 'Pacotes perdidos, envio',
  lossDown: 'Pacotes perdidos, recepção',
  rateUp: 'Taxa de bits, envio',
  rateDown: 'Taxa de bits, recepção',
  figures: 'Desde a entrada',
  lateness: 'Com quanto atraso seu som chegou ao servidor nos últimos 20 s',
  latenessUpTo: (ms) => `até ${ms} ms`,
  latenessOver: 'mais',
  copyAsText: 'Copiar como texto',
  copied: 'Copiado',
  saveAsCsv: 'Salvar as estatísticas em CSV',
  saveAsJson: 'Salvar as estatísticas em JSON',
  soundAge: (age) => `Você ouve os outros com ${age} de atraso`,
  plotLabel: (title, value) => `${title}, os últimos dois minutos. Agora ${value}.`,
  reportTitle: (room, at) => `aloud, sala ${room}, ${at}`,
  operator: 'Para o administrador',
  operatorHint: 'Com o token de administrador do servidor você ajusta o atraso de todos na sala.',
  operatorToken: 'Token de administrador',
  operatorUse: 'Usar',
  operatorAuto: 'Atraso automático',
  operatorDelay: 'Atraso da sala no servidor',
};
