/** Names of kinds of files, for people whose file can't be played. */

/**
 * The beginnings of files, as they are known.
 * @type {readonly (readonly [what: string, at: number, bytes: string])[]}
 */
const MARKS = [
  ['a WAV file', 0, 'RIFF'],
  ['a WAV file of 64 bits', 0, 'RF64'],
  ['an AIFF file', 0, 'FORM'],
  ['an AU file', 0, '.snd'],
  ['a FLAC file', 0, 'fLaC'],
  ['an MP3 file', 0, 'ID3'],
  ['an MP3 file', 0, '\xff\xfb'],
  ['an MP3 file', 0, '\xff\xf3'],
  ['an AAC file', 0, '\xff\xf1'],
  ['an AAC file', 0, '\xff\xf9'],
  ['an MP4 file', 4, 'ftyp'],
  ['a Matroska or WebM file', 0, '\x1aE\xdf\xa3'],
  ['a Windows Media file', 0, '\x30\x26\xb2\x75'],
  ['a CAF file', 0, 'caff'],
  ['an AMR file', 0, '#!AMR'],
  ['a MIDI file, which has notes and no sound', 0, 'MThd'],
  ['a PNG image', 0, '\x89PNG'],
  ['a JPEG image', 0, '\xff\xd8\xff'],
  ['a GIF image', 0, 'GIF8'],
  ['a PDF document', 0, '%PDF'],
  ['a ZIP archive', 0, 'PK\x03\x04'],
  ['a gzip archive', 0, '\x1f\x8b'],
  ['a program', 0, '\x7fELF'],
];

/** The beginnings of Ogg files' first packets. */
const OGG_MARKS = Object.freeze({
  'Ogg Opus': 'OpusHead',
  'Ogg Vorbis': '\x01vorbis',
  'Ogg FLAC': '\x7fFLAC',
  'Ogg Speex': 'Speex',
});
const OGG_PACKET_AT = 28;

/**
 * Says what a file seems to be.
 * @param {Buffer} start  its first bytes
 * @returns {string | null} such as "an MP3 file"; null if nothing is known about it
 */
export function seemsToBe(start) {
  const has = (/** @type {string} */ mark, /** @type {number} */ at) =>
    start.toString('latin1', at, at + mark.length) === mark;
  if (has('OggS', 0))
    return (
      Object.entries(OGG_MARKS).find(([, mark]) => has(mark, OGG_PACKET_AT))?.[0] ?? 'an Ogg file'
    );
  const known = MARKS.find(([, at, mark]) => has(mark, at));
  if (known) return known[0];
  const isText = start.every((byte) => byte >= 0x20 || byte === 9 || byte === 10 || byte === 13);
  return isText ? 'text' : null;
}
