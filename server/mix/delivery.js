/**
 * Delivers a room's sound from its sources to its listeners: mixed, or forwarded
 * (`server/forward/`). The room calls it. It knows no member, session protocol or command.
 *
 * @import { Floor } from './mixing.js'
 * @import { LightListener } from './light-listener.js'
 * @import { Listener } from './listener.js'
 * @import { Packet } from '../../public/shared/wire/packet.js'
 * @import { Source } from '../source/source.js'
 * @import { Transport } from '../session/session.js'
 *
 * @typedef {object} Delivery
 * @property {boolean} sounding true when there was sound lately
 * @property {Record<string, number>} [listenersByRate] of a broadcast, by bits a second
 * @property {number} mixedThrough last frame of the tick; -1 before it
 * @property {(source: Source | null, listener: Listener | LightListener | null) => void} enter a
 *   member has come; a listening member has no source, a speaking one no listener
 * @property {(source: Source | null, listener: Listener | LightListener | null) => void} leave a
 *   member has left: received sound of the source is still heard
 * @property {(source: Source | null, listener: Listener | LightListener | null) => void} release a
 *   member has moved to another delivery: no more of the source is heard here
 * @property {Iterable<Source>} ending sources that have left while some of their sound is still to
 *   be heard
 * @property {(source: Source) => void} takeEnding an ending source of another delivery is drained
 *   here
 * @property {(id: string, then: () => void) => void} whenEnded calls when all sound of this id's
 *   sources has been heard
 * @property {(source: Source, frame: number, packet: Packet, bytes: Uint8Array) => void} received
 *   the source has kept the packet of a frame, by the sender's clock; packet and bytes are valid
 *   during the call
 * @property {(frame: number) => void} tick a frame of the grid is due for listeners with delivery
 *   `tick`
 * @property {(listener: Listener, frame: number) => void} reply answers a packet of a listener with
 *   delivery `reply`
 * @property {(places: number) => void} setPlaces number of speakers heard at once
 * @property {(listener: Listener, source: Source, gain: number, pan: number) => void} setVolume for
 *   this listener alone; pan: -1, on the left, to 1; ignored in a mono room
 * @property {() => void} listenersChanged a listener has a delay of its own now, or has forgotten
 *   volumes
 * @property {() => void} redundancyChanged a listener may need packets with another redundancy
 * @property {(listener: LightListener, fillMs: number) => void} [nearer] a light listener has
 *   changed its nearness; it is sent the mix of the last `fillMs` milliseconds at once; 0: nothing
 * @property {(relays: Pick<Transport, 'sendMany'>, indices: ReadonlySet<number>) => void}
 *   [setRelayed] sets the rates of a broadcast that other nodes relay
 * @property {Floor['addTo']} [addTo] adds the last mix to another
 * @property {() => void} close frees the resources of the delivery. Idempotent
 */

export {};
