import { formsOf } from '../language.js';

const { number } = formsOf('pt');

/** @type {typeof import('../room-panel.js').panelTexts} */
export const panelTexts = {
  moderatePerson: (name) => `Moderar ${name}`,
  muteForAll: 'Silenciar para todos',
  muteForAllHint: 'A pessoa não pode ativar o microfone até você permitir.',
  allowToSpeak: 'Permitir que fale',
  allowToSpeakHint: 'Continua em silêncio até ativar o próprio microfone.',
  role: 'Função',
  roleNames: { moderator: 'Moderador', speaker: 'Orador', listener: 'Ouvinte' },
  changeRole: 'Mudar a função',
  roleHint:
    'Um moderador pode tudo o que você pode. Um ouvinte ouve, escreve e levanta a mão, e não ' +
    'é ouvido.',
  remove: 'Tirar da sala',
  removeHint: 'A pessoa pode entrar de novo.',
  banFor: 'Manter fora por',
  banTimes: [
    [3600, 'Uma hora'],
    [86_400, 'Um dia'],
    [7 * 86_400, 'Uma semana'],
    [30 * 86_400, 'Trinta dias'],
  ],
  removeAndBan: 'Tirar e banir',
  banHint: 'Pelo convite; sem ele, pela rede, que pode ser a de uma casa ou empresa inteira.',
  listeners: 'Procurar um ouvinte',
  listenersShown: (shown, count) =>
    count === 0
      ? 'Não há ouvintes.'
      : shown === 0
        ? count === 1
          ? 'O único ouvinte tem outro nome.'
          : `Nenhum dos ${number(count)} ouvintes tem esse nome.`
        : `${shown} de ${number(count)} ${count === 1 ? 'ouvinte' : 'ouvintes'}`,
  moreListeners: 'Próximos',
  firstListeners: 'Do começo',
  copyListenLink: 'Copiar o link para ouvintes',
  removeListener: 'Tirar',
  removeName: (name) => `Tirar ${name}`,
  lock: 'Trancar a sala',
  lockHint: 'Ninguém mais pode entrar. Quem perder a conexão pode voltar.',
  lobby: 'Sala de espera',
  lobbyHint:
    'Quem chega espera até você deixar entrar. Quando você a desliga, todos os que esperam ' +
    'entram.',
  chatPermission: 'Quem pode escrever',
  recordPermission: 'Quem pode gravar',
  allowed: { everybody: 'Todos', moderators: 'Moderadores' },
  mode: 'Como o som chega a todos',
  modes: {
    mix: 'Mixado pelo servidor',
    forward: 'Repassado, mixado por cada página',
    auto: 'Repassado em salas pequenas, senão mixado',
  },
  modeHint:
    'Repassado, o som fica como foi enviado, mas cada página precisa de mais banda e mais ' +
    'processamento.',
  modeE2e:
    'Esta sala é criptografada de ponta a ponta: o som é repassado, e o servidor não pode ' +
    'mixar nem gravar nada.',
  password: 'Senha',
  passwordSet: 'A sala tem uma senha. Digite outra para mudá-la.',
  passwordNone: 'A sala não tem senha. Quem já está aqui fica quando você definir uma.',
  setPassword: 'Definir senha',
  dropPassword: 'Remover senha',
  bans: 'Banimentos',
  ban: ({ name, by, identity, network }, end) => {
    const cause = by === 'identity' ? `pelo convite ${identity}` : `pela rede ${network}`;
    return `${name}, ${cause}, até ${end}`;
  },
  unban: 'Readmitir',
  unbanName: (name) => `Readmitir ${name}`,
  stepDown: 'Deixar de moderar',
  lastModerator: 'Só você modera. Para passar a função adiante, dê-a a alguém nas opções do nome.',
  endForAll: 'Encerrar a chamada para todos',
  endQuestion: {
    title: 'Encerrar a chamada para todos?',
    text: 'Todos saem, e você também. O que você ajustou na sala é esquecido.',
    yes: 'Encerrar',
    no: 'Continuar',
  },

  goLive: 'Transmitir ao vivo',
  endBroadcast: 'Encerrar a transmissão',
  offHint:
    'A sala vira uma transmissão: quem já está aqui fica no palco, e quem chega com o link ' +
    'da sala só ouve.',
  onHint:
    'A sala é uma transmissão. Quem chega com o link dela só ouve. Quando você a encerra, ' +
    'pessoas novas podem falar de novo, e ouvintes continuam ouvintes até entrarem outra vez.',
  makeStreamKey: 'Deixar um programa enviar som',
  newStreamKey: 'Criar uma chave nova',
  revokeStreamKey: 'Revogar a chave',
  streamOffHint:
    'Mixxx, butt, Liquidsoap, ffmpeg e outros que enviam a um servidor Icecast podem enviar ' +
    'a esta sala. Uma chave deixa um deles subir ao palco.',
  streamOnHint:
    'No programa escolha Icecast, Opus, este endereço, o usuário “source” e a chave como ' +
    'senha. Uma chave nova, ou nenhuma, encerra o que está sendo enviado.',
  streamAddress: 'Endereço para o programa',
  copyStreamAddress: 'Copiar o endereço',
  streamAddressCopied: 'Endereço copiado.',
  copyStreamKey: 'Copiar a chave',
  streamKeyCopied: 'Chave copiada. Quem a tiver pode enviar som a esta sala.',
  copyStageLink: 'Copiar o link do palco',
  stageLinkHint: 'Todos com este link podem falar. A próxima transmissão terá outro link.',
};
