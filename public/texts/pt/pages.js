import { formsOf } from '../language.js';
import { timeText } from '../units.js';

const { plural } = formsOf('pt');

/** @type {typeof import('../pages.js').recordingPageTexts} */
export const recordingPageTexts = {
  title: (room) => `${room} · Gravação · aloud`,
  chapters: 'Quem falou',
  noChapters: 'Ninguém que aceitou ser gravado falou por muito tempo.',
  files: 'Baixar',
  play: 'Reproduzir',
  pause: 'Pausar',
  position: 'Posição',
  positionOf: (at, all) => `${timeText(at)} de ${timeText(all)}`,
  back: 'para trás',
  ahead: 'para a frente',
  speed: 'Velocidade',
  live: 'Ao vivo',
  toLive: 'Ir para o momento ao vivo',
  running: 'Sendo gravado agora',
  copyMoment: 'Link para este momento',
  copied: (at) => `O link para ${timeText(at)} foi copiado.`,
  notCopied: 'Não foi possível copiar o link. Ele está na barra de endereços.',
  waiting: 'Carregando…',
  failed: 'Não foi possível carregar o som. Verifique a conexão e toque em “Reproduzir”.',
  cannotPlay: 'Este navegador não consegue reproduzir a gravação. Baixe-a.',
  transcript: 'O que foi dito',
  search: 'Buscar no que foi dito',
  found: (count) => plural(count, { one: `${count} trecho`, other: `${count} trechos` }),
  transcriptAsFile: 'O que foi dito, como legendas',
  mix: 'Todos juntos',
  mixAsWebm: 'Todos juntos, em WebM',
  overWebTransport: (rate) =>
    rate === 0 ? 'Por WebTransport' : `Por WebTransport, a ${Math.round(rate / 1000)} kb/s`,
  overHttp: 'Por HTTP',
  missing:
    'Essa gravação não existe. Talvez o link não esteja completo, ou a gravação foi apagada.',
  deleted: 'Esta gravação foi apagada.',
  unreachable: 'Não foi possível alcançar o servidor. Verifique a conexão e recarregue a página.',
};

/** @type {typeof import('../pages.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'Abrir uma sala ou entrar',
  reasons: {
    'not-found': 'Não há nada neste endereço.',
    'empty-room': 'Não há ninguém nesta sala. Tente de novo quando houver alguém.',
    banned: 'A moderação baniu você desta sala por um tempo.',
    internal: 'Ocorreu um erro no servidor, que está no registro dele.',
  },
};
