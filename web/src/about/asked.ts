/** What a page asks the server once for what it is about. */

import { useAnswer } from '../research/asking';
import type { Asking } from '../research/asking';

export type Asked<T> = Asking<T>;

/** Asks at an address; another one is asked anew, and who leaves is not waited for. */
export const useAsked = <T>(path: string): Asked<T> => useAnswer<T>(path);
