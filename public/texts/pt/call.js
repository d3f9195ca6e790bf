import { formsOf } from '../language.js';
import { connectionNames, decimalText, sizeText, timeText } from '../units.js';

const { list, number } = formsOf('pt');

/** @type {typeof import('../call.js').callTexts} */
export const callTexts = {
  you: 'você',
  muted: 'microfone desligado',
  away: 'ausente: conexão perdida, pode voltar',
  handRaised: 'mão levantada',
  notRecorded: 'sem gravação',
  sharedBy: (name) => `compartilhado por ${name}`,
  shareCame: (name) => `${name} compartilha um som.`,
  shareWent: (name) => `${name} não compartilha mais som.`,
  waited: (ms) => `chega ${Math.round(ms)} ms atrasado: o som de todos espera`,
  later: (ms) => `a voz chega ${Math.round(ms)} ms depois das outras`,
  youLater: (ms) => `os outros ouvem você ${Math.round(ms)} ms depois`,
  heardAfter: (ms) => `Ouvido ${Math.round(ms)} ms depois de ser dito`,
  waitedFor: (names) =>
    `O atraso é maior do que a maioria precisa, porque o som de ${list(names)} chega tarde.`,
  mute: 'Silenciar',
  unmute: 'Reativar',
  talking: 'Falando',
  raiseHand: 'Levantar a mão',
  lowerHand: 'Abaixar a mão',
  linkCopied: 'Link copiado',
  dismiss: 'Fechar',
  tryNow: 'Tentar agora',
  trying: 'Tentando agora…',
  tryingIn: (seconds) => `Nova tentativa em ${seconds} s.`,
  close: 'Fechar',
  reconnected: 'A conexão voltou.',
  offline: 'Conexão perdida',
  titleOffline: 'conexão perdida',
  useIt: 'Usar',
  deviceNew: (device) => `${device} está conectado. Use, ou continue como antes.`,
  otherTab: {
    title: 'Você já está nesta sala',
    text:
      'Outra aba ou janela deste navegador está na chamada, e as duas ouviriam uma à outra. ' +
      'Traga a chamada para cá, e a outra sai.',
    yes: 'Trazer para cá',
    no: 'Cancelar',
  },
  keysTitle: 'Teclas em uma chamada',
  keysHint: 'Elas não agem enquanto você escreve, e podem ser desligadas em “Configurações”.',
  showKeys: 'Mostrar todas as teclas',
  keys: [
    ['M', 'desligar ou ligar seu microfone'],
    ['Segurar Espaço', 'falar com o microfone desligado'],
    ['H', 'levantar ou abaixar a mão'],
    ['C', 'abrir ou fechar o chat'],
    ['?', 'mostrar estas teclas'],
    ['Esc', 'fechar o que está aberto'],
  ],
  qrTitle: 'Escaneie para entrar',
  qrLabel: 'Código QR do link desta sala',
  youJoined: 'Você está na chamada.',
  youLeft: 'Você saiu da chamada.',
  howBack: 'Você saiu da chamada. Pode entrar de novo quando quiser com o mesmo link.',
  youMuted: 'Seu microfone está desligado.',
  youUnmuted: 'Seu microfone está ligado de novo.',
  more: (name) => `Opções de ${name}`,
  sideLeft: 'E',
  sideRight: 'D',
  placeOf: (name) => `Posição de ${name}, da esquerda para a direita`,
  place: (percent) =>
    percent === 0
      ? 'no meio'
      : `${Math.abs(percent)} % para a ${percent < 0 ? 'esquerda' : 'direita'}`,
  volumeOf: (name) => `Volume de ${name}`,
  muteForMe: 'Silenciar para mim',
  mutedForYou: 'sem som para você',
  quality: ['', 'conexão ruim', 'conexão razoável', 'conexão boa'],
  people: (count) => (count === 1 ? '1 pessoa' : `${count} pessoas`),
  listenersToo: (count) => (count === 1 ? '1 ouvinte' : `${number(count)} ouvintes`),
  speaking: (names) => (names.length === 0 ? 'Ninguém está falando' : `Falando: ${list(names)}`),
  manyCame: (count) => `${count} pessoas entraram.`,
  manyLeft: (count) => `${count} pessoas saíram.`,
  soundOn: 'Ligar o som',
  listenFirst: 'Por enquanto, ouvir',
  joined: (name) => `${name} entrou.`,
  left: (name) => `${name} saiu.`,
  nowMuted: (name) => `${name} está com o microfone desligado.`,
  nowUnmuted: (name) => `${name} está com o microfone ligado.`,
  nowAway: (name) => `${name} perdeu a conexão.`,
  nowBack: (name) => `${name} voltou.`,
  raisedHand: (name) => `${name} levantou a mão.`,
  loweredHand: (name) => `${name} abaixou a mão.`,
  connectedOver: (connection) => `Conectado por ${connectionNames[connection] ?? connection}`,
  notTaken: (connection, reason) => `Antes foi tentado ${connectionNames[connection]}. ${reason}`,
  roundTrip: (ms) => `Ida e volta ${Math.round(ms)} ms`,
  received: (percent) => `Recebido ${decimalText(percent, percent >= 99.95 ? 0 : 1, 'pt')} %`,
  delay: (ms) => `Atraso ${Math.round(ms)} ms`,
};

/** @type {typeof import('../call.js').chatTexts} */
export const chatTexts = {
  chatLog: 'Mensagens',
  chatEmpty:
    'Nada foi escrito ainda. Todos na sala veem as mensagens, e também quem entrar mais ' +
    'tarde.',
  chatField: 'Mensagem para todos',
  chatPlaceholder: 'Escreva para todos',
  send: 'Enviar',
  showAll: 'Mostrar tudo',
  showLess: 'Mostrar menos',
  messageCut: 'Esta mensagem era mais longa; o fim foi cortado.',
  chatFrom: (name, text) => `${name} escreveu: ${text}`,
  charactersLeft: (count) =>
    count === 1 ? 'Cabe mais 1 caractere.' : `Cabem mais ${count} caracteres.`,
  tooLong: (count) =>
    `Há ${count} ${count === 1 ? 'caractere' : 'caracteres'} a mais. Encurte, ou envie em duas ` +
    'mensagens.',
  chatUnread: (count) => (count === 1 ? '1 não lida' : `${count} não lidas`),
};

/** @type {typeof import('../call.js').recordingTexts} */
export const recordingTexts = {
  recordingOn: 'Gravando',
  recordButtonOn: 'Gravar: há uma gravação em curso',
  recordingIdle:
    'Nada está sendo gravado. Quando você começa, todos são consultados, e só quem concorda é ' +
    'gravado.',
  recordingFinishing: 'A gravação terminou. Os arquivos estão sendo concluídos.',
  recordingReady: 'Os arquivos da gravação estão prontos.',
  startRecording: 'Começar a gravar',
  stopRecording: 'Encerrar a gravação',
  recordMe: 'Gravar minha voz',
  recordPublic: 'Qualquer um pode ouvir',
  recordingPage: 'A página da gravação',
  recordedFiles: 'Arquivos',
  recordedMix: 'Todos juntos',
  filesHint: 'Ogg Opus. O servidor os apaga depois de um tempo: baixe o que quiser guardar.',
  consent: (name) => ({
    title: 'Esta sala está sendo gravada',
    text:
      `${name} começou uma gravação. Sua voz só é guardada se você concordar. Você pode mudar ` +
      'de ideia em “Gravar” a qualquer momento.',
    yes: 'Concordo',
    no: 'Não me grave',
  }),
  recordingSince: (name, time) => `${name} está gravando desde ${time}.`,
  recordingBegan: (name) => `${name} começou a gravar.`,
  recordingEnded: (name) => `${name} encerrou a gravação.`,
  recordedPeople: (names) =>
    names.length === 0 ? 'Ninguém está sendo gravado.' : `Vozes gravadas: ${list(names)}.`,
  fileSize: (since, seconds, bytes) => `${since}, ${timeText(seconds)}, ${sizeText(bytes)}`,
};
