/** @param {number} seconds  since a broadcast began */
export const liveText = (seconds) => `LIVE ${timeText(seconds)}`;

/** @param {number} seconds */
function timeText(seconds) {
  const hours = Math.floor(seconds / 3600);
  const minutes = [Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  return hours > 0 ? `${hours}:${minutes}` : minutes;
}
