/**
 * New rooms' names. A room is open to everyone who knows its name, so a name made here can't be
 * guessed. It has five of 256 words and five of 32 symbols, 65 random bits.
 */

const WORDS = `
acorn agate alder almond amber anchor apple apricot april arbor arrow ash aspen aster autumn badger
bakery balcony bamboo barley basil basket beacon beaver bell berry birch bison blossom bonfire
bramble breeze brook bronze button cabin cactus camel candle canoe canyon cedar cello chalk cherry
chestnut cinnamon citrus clay cliff clover cobalt coconut comet copper coral cotton cove crane creek
cricket crimson crocus crystal curlew cypress dahlia daisy dawn delta dolphin dove dragon driftwood
dune eagle echo elder elm ember emerald falcon fennel fern fiddle finch fjord flint flute forest
fountain fox garden garnet ginger glacier glade glen granite grape grove guitar gull hammock harbor
harvest hazel heather hedge heron hickory hill honey horizon indigo iris island ivory ivy jade
jasmine jasper juniper kayak kestrel kettle kite koala lagoon lake lantern lark laurel lavender
lemon lilac lily lime linen lotus lute lynx magnet mango maple marble marigold marsh meadow melody
melon midnight mint mirror mist moon moss mountain mulberry myrtle nectar nest nettle north nutmeg
oak oasis oboe ocean olive onyx opal orchard orchid osprey otter owl palm papaya pearl pebble pepper
petal pine planet plaza plum polar pond poplar poppy prairie puffin quail quartz quill quince rabbit
rain raven reed reef ribbon ridge river robin rocket rose rosemary ruby saddle saffron sage salmon
sand sapphire satin scarlet shell shore silk silver sky snow sparrow spruce star stone storm stream
summer sunset swan tango teal temple thicket thistle thyme tide tiger timber topaz trail tulip
tundra turtle valley vanilla velvet violet walnut waltz water willow winter
`
  .trim()
  .split(/\s+/);

/** Digits and letters, without letters that look like digits or like one another. */
const SYMBOLS = '0123456789abcdefghjkmnpqrstvwxyz';

/** The words in a new name, and the symbols after them. */
const NAME_WORDS = 5;
const NAME_SYMBOLS = 5;

/**
 * Makes a new room's name, such as `harbor-velvet-finch-lute-moss-k7m2p`.
 * @param {(bytes: Uint8Array<ArrayBuffer>) => void} [fillRandom] fills an array with random bytes
 * @returns {string}
 */
export function makeRoomName(fillRandom = (bytes) => crypto.getRandomValues(bytes)) {
  const bytes = new Uint8Array(NAME_WORDS + NAME_SYMBOLS);
  fillRandom(bytes);
  const words = [...bytes.subarray(0, NAME_WORDS)].map((byte) => WORDS[byte % WORDS.length]);
  const symbols = [...bytes.subarray(NAME_WORDS)].map((byte) => SYMBOLS[byte % SYMBOLS.length]);
  return [...words, symbols.join('')].join('-');
}
