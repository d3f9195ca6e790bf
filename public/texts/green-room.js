/** The first page and the green room: names, devices, tests of the sound. */
export const greenRoomTexts = Object.freeze({
  noRoomTyped: 'Type a room’s name or paste its link.',
  noNameTyped: 'Type the name that the others will see.',
  nameCut: (/** @type {string} */ name) => `The name is too long. The others see “${name}”.`,
  nameInvited: 'Your invitation gives this name.',
  join: 'Join',
  joining: 'Joining…',
  listen: 'Listen',
  listenerName: 'Listener',
  listenHint:
    'You hear the room, and nobody hears you: no microphone is asked for. You can raise your ' +
    'hand to be let speak.',
  yourOutput: 'Where you hear it',
  microphoneLabel: 'Microphone',
  speakerLabel: 'Speaker',
  defaultMicrophone: 'Default microphone',
  defaultSpeaker: 'Default speaker',
  noMicrophone: 'No microphone: listen only',
  microphone: (/** @type {number} */ number) => `Microphone ${number}`,
  speaker: (/** @type {number} */ number) => `Speaker ${number}`,
  speakerBySystem: 'This browser leaves the choice of the speaker to the system’s settings.',
  testMicrophone: 'Test my level',
  stopTest: 'Stop test',
  yourLevel: 'Your level',
  saySomething: 'Say something: the bar moves with your voice.',
  levelHeard: 'You can be heard.',
  levelSilent: 'Nothing is heard yet. Is this the right microphone, and is it switched on?',
  playTone: 'Play a soft test sound',
  tonePlaying:
    'You should hear two soft notes. If not, choose another speaker, or turn up the volume of ' +
    'this device.',
  hearYourself: 'Hear yourself',
  hearStop: 'Stop hearing yourself',
  hearConnecting: 'Connecting to the server…',
  hearing:
    'Speak: the server sends your voice back after two seconds, as the others would hear it.',
});
