/** A broadcast, in the panel Room. */
export const broadcastTexts = Object.freeze({
  goLive: 'Go live',
  endBroadcast: 'End the broadcast',
  offHint: 'The room becomes a broadcast: you who are here stay on stage, and whoever comes with the room’s link only listens.',
  onHint: 'The room is a broadcast. Whoever comes with the room’s link only listens. When you end it, newcomers may speak again, and those who listen stay listeners until they join anew.',
  copyStageLink: 'Copy the link to the stage',
  stageLinkHint: 'Whoever has this link speaks. It is another one in the next broadcast.',
  began: 'The room is live.',
  ended: 'The broadcast has ended.',
});
