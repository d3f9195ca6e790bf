/**
 * Rooms' names and addresses. A room is open to everyone who knows its name, so a name that is made here can't be
 * guessed: five of 256 words and five of 32 symbols, 65 random bits.
 *
 * @typedef {object} Wish  what the page's address asks for: `/r/<room>?name=&transport=&processing=off&listen`
 * @property {string | null} room      null on the first page, and when the address names no room
 * @property {string} name             empty when the address gives none
 * @property {Connection | null} transport
 * @property {boolean} processing      false: the browser leaves the microphone's sound as it is
 * @property {boolean} listen         only to listen, as one of the audience: the page asks for no microphone
 * @property {string} [token]          of the invitation: see takeInvitation
 * @property {string} [stage]          the key of a broadcast's stage: see takeStage
 * @property {string} [e2eKey]         behind `#e2e=`: the key of a room that is encrypted end to end, which no server is sent
 *
 * @typedef {'auto' | 'webtransport' | 'websocket' | 'http1'} Connection
 */

export const CONNECTIONS = Object.freeze(
  /** @type {const} */ (['auto', 'webtransport', 'websocket', 'http1']),
);

const WORDS = `
acorn agate alder almond amber anchor apple apricot april arbor arrow ash aspen aster autumn badger
bakery balcony bamboo barley basil basket beacon beaver bell berry birch bison blossom bonfire bramble
breeze brook bronze button cabin cactus camel candle canoe canyon cedar cello chalk cherry chestnut
cinnamon citrus clay cliff clover cobalt coconut comet copper coral cotton cove crane creek cricket
crimson crocus crystal curlew cypress dahlia daisy dawn delta dolphin dove dragon driftwood dune eagle
echo elder elm ember emerald falcon fennel fern fiddle finch fjord flint flute forest fountain fox
garden garnet ginger glacier glade glen granite grape grove guitar gull hammock harbor harvest hazel
heather hedge heron hickory hill honey horizon indigo iris island ivory ivy jade jasmine jasper juniper
kayak kestrel kettle kite koala lagoon lake lantern lark laurel lavender lemon lilac lily lime linen
lotus lute lynx magnet mango maple marble marigold marsh meadow melody melon midnight mint mirror mist
moon moss mountain mulberry myrtle nectar nest nettle north nutmeg oak oasis oboe ocean olive onyx opal
orchard orchid osprey otter owl palm papaya pearl pebble pepper petal pine planet plaza plum polar pond
poplar poppy prairie puffin quail quartz quill quince rabbit rain raven reed reef ribbon ridge river
robin rocket rose rosemary ruby saddle saffron sage salmon sand sapphire satin scarlet shell shore silk
silver sky snow sparrow spruce star stone storm stream summer sunset swan tango teal temple thicket
thistle thyme tide tiger timber topaz trail tulip tundra turtle valley vanilla velvet violet walnut
waltz water willow winter
`.trim().split(/\s+/);

export const WORD_COUNT = WORDS.length;

/** Digits and letters, without letters that look like digits or like one another. */
const SYMBOLS = '0123456789abcdefghjkmnpqrstvwxyz';

/** The words in a new name, and the symbols after them. */
const NAME_WORDS = 5;
const NAME_SYMBOLS = 5;

/** The random bits in a new name. */
export const NAME_ENTROPY = NAME_WORDS * Math.log2(WORD_COUNT) + NAME_SYMBOLS * Math.log2(SYMBOLS.length);

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Makes a new room's name, such as `harbor-velvet-finch-lute-moss-k7m2p`.
 * @param {(bytes: Uint8Array<ArrayBuffer>) => void} [fillRandom] fills an array with random bytes
 * @returns {string}
 */
export function makeRoomName(fillRandom = (bytes) => crypto.getRandomValues(bytes)) {
  const bytes = new Uint8Array(NAME_WORDS + NAME_SYMBOLS);
  fillRandom(bytes);
  const words = [...bytes.subarray(0, NAME_WORDS)].map((byte) => WORDS[byte % WORD_COUNT]);
  const symbols = [...bytes.subarray(NAME_WORDS)].map((byte) => SYMBOLS[byte % SYMBOLS.length]);
  return [...words, symbols.join('')].join('-');
}

/**
 * Reads a room's name from what a person typed or pasted: a name, or a room's link. Spaces become hyphens.
 * @param {string} typed
 * @returns {string | null} null when it is no room's name
 */
export function readRoomName(typed) {
  const link = /\/r\/([^/?#\s]+)/.exec(typed);
  const name = (link ? decoded(link[1]) : typed).trim().replace(/\s+/g, '-');
  return NAME.test(name) ? name : null;
}

/**
 * @param {string} part of a URL
 * @returns {string} empty when it can't be decoded
 */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

/**
 * @param {{ pathname: string, search: string, hash?: string }} location
 * @returns {Wish}
 */
export function readAddress({ pathname, search, hash = '' }) {
  const parameters = new URLSearchParams(search);
  return {
    room: pathname.startsWith('/r/') ? readRoomName(pathname) : null,
    name: parameters.get('name') ?? '',
    transport: readConnection(parameters.get('transport')),
    processing: parameters.get('processing') !== 'off',
    listen: parameters.has('listen') && parameters.get('listen') !== 'off',
    e2eKey: new URLSearchParams(hash.slice(1)).get('e2e') ?? undefined,
  };
}

/**
 * @param {unknown} value
 * @returns {Connection | null} null when it is no connection's name
 */
export const readConnection = (value) => CONNECTIONS.find((connection) => connection === value) ?? null;

/**
 * A room's link as others are given it: without its query, which holds one's own name, and with the room's key.
 * @param {{ origin: string, pathname: string, hash: string }} location
 */
export function roomLink({ origin, pathname, hash }) {
  const key = new URLSearchParams(hash.slice(1)).get('e2e');
  return origin + pathname + (key === null ? '' : `#e2e=${encodeURIComponent(key)}`);
}

/**
 * @param {string} room
 * @returns {string} the path of the room's page
 */
export const roomPath = (room) => `/r/${encodeURIComponent(room)}`;

/**
 * @param {Pick<Location, 'origin' | 'pathname'>} location  of a room's page
 * @param {string} key  of the stage of the room's broadcast
 * @returns {string} the link by which others come onto the stage
 */
export const stageLink = ({ origin, pathname }, key) => `${origin}${pathname}?stage#stage=${encodeURIComponent(key)}`;

/** @param {Pick<Location, 'origin' | 'pathname'>} location  of a room's page @returns {string} the link by which listeners come */
export const listenLink = ({ origin, pathname }) => `${origin}${pathname}?listen`;
