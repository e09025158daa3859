/** A name that leads to its page in the base that is shown. */

import type { ComponentChildren } from 'preact';
import { PLAIN, addressOf, follow, place } from '../address';
import type { About } from '../address';

interface To {
  kind: About['kind'];
  name: string;
  base?: string;
  children: ComponentChildren;
}

/** What says that a name is not known. */
const NOBODY = /^[?\s.-]*$/;

export function AboutLink({ kind, name, base, children }: To) {
  const of = base ?? place.value.base;
  if (of === null || NOBODY.test(name)) return <>{children}</>;
  const to = { ...PLAIN, base: of, about: { kind, name } };
  return (
    <a class="about-link" href={addressOf(to)} onClick={follow(to)}>
      {children}
    </a>
  );
}
