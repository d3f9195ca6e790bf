import { formsOf } from '../language.js';
import { connectionNames, decimalText } from '../units.js';

const { list, number } = formsOf('pt');

/** @type {typeof import('../listen.js').listenTexts} */
export const listenTexts = {
  tabTitle: (room) => `${room} · aloud`,
  listen: 'Ouvir',
  pause: 'Pausar',
  starting: 'Começando…',
  cancel: 'Cancelar',
  listeners: (count) => (count === 1 ? '1 ouvinte' : `${number(count)} ouvintes`),
  speaking: (names) =>
    names.length === 0
      ? 'Ninguém está falando.'
      : `${list(names)} ${names.length === 1 ? 'fala' : 'falam'}.`,
  otherSound: 'Música, ou outro som sem voz.',
  onStage: (names) =>
    names.length === 0
      ? 'Ninguém está falando ainda. Você vai ouvir a primeira pessoa que falar.'
      : `No palco: ${list(names)}`,
  artist: (isLive, names) =>
    [...(isLive ? ['AO VIVO'] : []), ...(names.length > 0 ? [list(names)] : ['aloud'])].join(' · '),
  name: 'Seu nome',
  nameHint: 'Os moderadores o veem quando você levanta a mão. Pode ficar vazio.',
  nameInvited: 'Este nome vem do seu convite. Os moderadores o veem quando você levanta a mão.',
  listenerName: 'Ouvinte',
  password: 'Senha da sala',
  volume: 'Volume',
  near: 'Atraso',
  nearness: { conversation: 'Ao vivo', near: 'Um pouco depois', steady: 'Estável' },
  nearnessHints: {
    conversation: 'O quanto antes: para quem pode responder.',
    near: 'Um quarto de segundo depois, com menos falhas.',
    steady: 'Dois segundos depois, e completo mesmo em uma rede ruim.',
  },
  hand: 'Levantar a mão',
  handUp: 'Abaixar a mão',
  details: 'Conexão',
  quality: (kbps, transport, delayMs) => {
    const seconds = delayMs === null ? '' : decimalText(delayMs / 1000, 1, 'pt');
    const delay = delayMs === null ? '' : `, ouvido ${seconds} s depois`;
    return `${Math.round(kbps)} kb/s por ${connectionNames[transport] ?? transport}${delay}`;
  },
  wholePage: 'Abrir a página completa com chat',
  openRoom: 'Abrir a sala',

  notOpen:
    'Esta sala ainda não está aberta. Toque em “Ouvir”, e você a ouve assim que alguém falar.',
  ready: 'Toque em “Ouvir”. Não é preciso microfone.',
  playing: 'Você está ouvindo.',
  paused: 'Em pausa. Nada é baixado agora.',
  resumed: 'Você está ouvindo de novo.',
  reconnecting: 'A conexão foi interrompida. Permaneça nesta página: ela está se reconectando.',
  reconnectingLong:
    'Faz um tempo que não há conexão. Verifique a rede deste dispositivo: o som volta assim ' +
    'que houver uma.',
  waiting:
    'Os moderadores sabem que você está aqui. Você ouve a sala assim que um deles deixar ' +
    'você entrar.',
  pressForSound: 'O navegador está segurando o som. Toque em qualquer lugar desta página.',
  interrupted:
    'Outra coisa está usando o som deste dispositivo. Ele volta sozinho, ou quando você tocar ' +
    'em qualquer lugar.',
  handRaised: 'Sua mão está levantada. Os moderadores a veem.',
  handLowered: 'Sua mão está abaixada.',
  handTaken: 'Um moderador abaixou sua mão.',
  fromBeginning: 'Isto está sendo gravado. Ouvir desde o começo',
  broadcastOver: 'A transmissão terminou. Você ainda ouve a sala.',
  joinCall: 'Entrar na chamada',
  ontoStage: 'Você já pode falar. A página da chamada está carregando…',
  stageFailed:
    'Você já pode falar, mas não foi possível carregar a página da chamada. Verifique sua ' +
    'rede e toque em “Subir ao palco”.',
  goOnStage: 'Subir ao palco',
  stageElsewhere: 'Você já pode falar, na página da sala.',
  draining: 'O servidor vai reiniciar. O som volta sozinho.',
  loadFailed:
    'Não foi possível carregar uma parte desta página. Verifique sua rede e toque de novo em ' +
    '“Ouvir”.',
  failed: 'Algo deu errado. Verifique sua rede e toque de novo em “Ouvir”.',
};
