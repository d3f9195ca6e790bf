/** How many people have a place in all rooms of a kind, counted as they come and go. */
export class Census {
  /** Those who are in a room. */
  present = 0;
  /** Those whose place waits for them. */
  away = 0;
  /** Rooms with somebody in them. */
  rooms = 0;
}
