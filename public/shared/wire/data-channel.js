/**
 * How a session goes over WebRTC's data channels, to be compared with the transports: packets on a
 * channel without order and retransmission, control messages as text on one with both. Both ends
 * know the channels beforehand, so that neither has to take any that the other opens. For
 * measuring.
 */

/** What an offer and its answer are as a request's and an answer's body. */
export const DESCRIPTION_TYPE = 'application/sdp';

export const CONTROL_CHANNEL = Object.freeze({ negotiated: true, id: 0 });

export const PACKET_CHANNEL = Object.freeze({
  negotiated: true,
  id: 1,
  ordered: false,
  maxRetransmits: 0,
});

/**
 * The type of the last control message, which closes the session: `{type, code, reason}`, code a
 * close number.
 */
export const CLOSED = 'closed';
