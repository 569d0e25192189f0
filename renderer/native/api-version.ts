// Version of the desktop bridge that this console speaks. A number of its own: importing the schemas would bring them into the first chunk.

export const DESKTOP_API_VERSION = 1;
