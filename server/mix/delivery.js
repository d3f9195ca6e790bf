/**
 * How a room's sound gets from its sources to its listeners: mixed, or forwarded
 * (`server/forward/`). The room calls it, and it knows no member, session protocol or command.
 *
 * @import { LightListener } from './light-listener.js'
 * @import { Listener } from './listener.js'
 * @import { Packet } from '../../public/shared/wire/packet.js'
 * @import { Source } from '../source/source.js'
 * @import { Transport } from '../transport/session.js'
 *
 * @typedef {object} Delivery
 * @property {boolean} sounding  whether anything was to be heard lately
 * @property {Record<string, number>} [listenersByRate]  those of a broadcast, by bits a second
 * @property {number} mixedThrough  the last frame of the tick; -1 before it
 * @property {(source: Source | null, listener: Listener | LightListener | null) => void} enter
 *   a member has come; one who only listens has no source, one who only speaks no listener
 * @property {(source: Source | null, listener: Listener | LightListener | null) => void} leave
 *   a member has gone: what had come of the source is still heard
 * @property {Iterable<Source>} draining those that have left, and of which something is still to be
 *   heard
 * @property {(source: Source) => void} takeDraining such a source was another delivery's, and is
 *   drained here too
 * @property {(id: string, then: () => void) => void} afterDraining
 *   calls when nothing of the sources of this id is to be heard any more
 * @property {(source: Source, frame: number, packet: Packet, bytes: Uint8Array) => void} received
 *   the source has kept the packet of a frame, by the sender's clock; packet and bytes are valid
 *   during the call
 * @property {(frame: number) => void} tick a frame of the grid is due for those whose delivery is
 *   `tick`
 * @property {(listener: Listener, frame: number) => void} reply answers a packet of one whose
 *   delivery is `reply`
 * @property {(places: number) => void} setPlaces  how many speakers are heard at once
 * @property {(listener: Listener, source: Source, gain: number, pan: number) => void} setVolume for
 *   this listener alone; pan: -1, on the left, to 1; nothing in a mono room
 * @property {() => void} listenersChanged a listener has a delay of its own now, or has forgotten
 *   volumes
 * @property {() => void} redundancyChanged  a listener may need packets with another redundancy
 * @property {(listener: LightListener, fillMs: number) => void} [nearer] a light listener has
 *   chosen how near it is, and is sent at once what was mixed in so many milliseconds before; 0:
 *   nothing
 * @property {(relays: Pick<Transport, 'sendMany'>, indices: ReadonlySet<number>) => void}
 *   [setRelayed] other nodes relay a broadcast at these of its rates
 * @property {() => void} close  frees what is the delivery's own. Idempotent
 */

export {};
