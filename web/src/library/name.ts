/** The name of a base for people. */

import type { Base } from '../api';
import { t } from '../words';

export const nameOf = (base: Base): string => (base.clipboard ? t('clipboard.title') : base.name);
