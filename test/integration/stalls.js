/** For so long a sound card's buffer bridges it when the process stands still, in milliseconds. */
const BRIDGED_MS = 30;
const PERIOD_MS = 10;

/**
 * Watches how this process stands still because others use the processors: what is missing then in what its
 * people hear is the machine's doing. Where nothing stands still, nothing may be missing.
 *
 * @returns {() => { count: number, ms: number }} ends it, and tells how often it was and for how long in all
 */
export function watchStalls() {
  let [lastMs, count, ms] = [performance.now(), 0, 0];
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const late = nowMs - lastMs - PERIOD_MS;
    lastMs = nowMs;
    if (late <= BRIDGED_MS) return;
    count += 1;
    ms += late;
  }, PERIOD_MS);
  return () => {
    clearInterval(timer);
    return { count, ms };
  };
}
