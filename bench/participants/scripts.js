/** The scripts of the lab's own processes, for Child: a server, and a crowd. */
export const SERVER = new URL('server-process.js', import.meta.url);
export const CROWD = new URL('crowd-process.js', import.meta.url);
