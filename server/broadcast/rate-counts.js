/** Changes of listeners' bit rates, in all of a host's rooms since it began. */
export class RateCounts {
  up = 0;
  down = 0;
  /** Probes for a higher rate that showed that the way doesn't carry it. */
  failed = 0;
}
