/** Recording. */
export const recordingTexts = Object.freeze({
  recordingOn: 'Being recorded',
  recordButtonOn: 'Record: a recording is on',
  recordingIdle: 'Nothing is being recorded. When you start, everybody is asked, and only those who agree are in it.',
  recordingFinishing: 'The recording has stopped. Its files are being finished.',
  recordingReady: 'The recording’s files are ready.',
  startRecording: 'Start recording',
  stopRecording: 'Stop recording',
  recordMe: 'Record me',
  recordedFiles: 'Files',
  recordedMix: 'Everybody together',
  filesHint: 'Ogg Opus. The server deletes them after a while: download what you want to keep.',
  consent: (/** @type {string} */ name) => ({
    title: 'This room is being recorded',
    text: `${name} has started a recording. Your voice is kept only if you agree; you can change your mind under Record at any time.`,
    yes: 'Agree',
    no: 'Don’t record me',
  }),
  recordingSince: (/** @type {string} */ name, /** @type {string} */ time) => `${name} has been recording since ${time}.`,
  recordingBegan: (/** @type {string} */ name) => `${name} started recording.`,
  recordingEnded: (/** @type {string} */ name) => `${name} stopped the recording.`,
  recordedPeople: (/** @type {string[]} */ names) =>
    names.length === 0 ? 'Nobody is being recorded.' : `Being recorded: ${names.join(', ')}.`,
  fileSize: (/** @type {string} */ since, /** @type {number} */ seconds, /** @type {number} */ bytes) => {
    const length = `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')} min`;
    return `${since}, ${length}, ${bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`}`;
  },
});
