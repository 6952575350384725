import * as fc from 'fast-check';

/** One kind of damage to a list of messages; `at` is taken modulo their number. */
type Damage =
  | { readonly kind: 'cutAll' | 'drop'; readonly at: number }
  | { readonly kind: 'truncate'; readonly at: number; readonly share: number }
  | { readonly kind: 'repeat'; readonly at: number; readonly times: number }
  | { readonly kind: 'move'; readonly at: number; readonly to: number }
  | { readonly kind: 'overwrite'; readonly at: number; readonly share: number; readonly bytes: Uint8Array }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Uint8Array };

const at = fc.nat({ max: 63 });
const share = fc.nat({ max: 999 }).map((thousandths) => thousandths / 1_000);
const bytes = fc.uint8Array({ minLength: 1, maxLength: 8 });

const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ kind: fc.constantFrom('cutAll' as const, 'drop' as const), at }),
  fc.record({ kind: fc.constant('truncate' as const), at, share }),
  fc.record({ kind: fc.constant('repeat' as const), at, times: fc.integer({ min: 2, max: 300 }) }),
  fc.record({ kind: fc.constant('move' as const), at, to: at }),
  fc.record({ kind: fc.constant('overwrite' as const), at, share, bytes }),
  fc.record({ kind: fc.constant('insert' as const), at, bytes }),
);

/**
 * The messages of an honest peer with one to four damages: cut off, missing, truncated, repeated, reordered,
 * overwritten, or with foreign bytes inserted. `change` adds protocol-specific damage to one message, such as a wrong
 * type or length.
 */
export function damagedMessages(
  honest: readonly Buffer[],
  change: fc.Arbitrary<(message: Buffer) => Buffer> = fc.constant((message) => message),
): fc.Arbitrary<readonly Buffer[]> {
  const own = fc.record({ at, change });
  return fc
    .record({ damages: fc.array(damage, { minLength: 1, maxLength: 3 }), own: fc.option(own) })
    .map((plan) => {
      const messages =
        plan.own === null ? [...honest] : replaced(honest, plan.own.at % honest.length, plan.own.change);
      return plan.damages.reduce<readonly Buffer[]>(damaged, messages);
    });
}

function damaged(messages: readonly Buffer[], it: Damage): readonly Buffer[] {
  if (messages.length === 0) return messages;
  const index = it.at % messages.length;
  switch (it.kind) {
    case 'cutAll':
      return messages.slice(0, index);
    case 'drop':
      return messages.toSpliced(index, 1);
    case 'truncate':
      return replaced(messages, index, (message) =>
        message.subarray(0, Math.floor(message.length * it.share)),
      );
    case 'repeat':
      return messages.toSpliced(
        index,
        0,
        ...Array<Buffer>(it.times).fill(messages[index] ?? Buffer.alloc(0)),
      );
    case 'move': {
      const rest = messages.toSpliced(index, 1);
      return rest.toSpliced(it.to % messages.length, 0, ...messages.slice(index, index + 1));
    }
    case 'overwrite':
      return replaced(messages, index, (message) => overwritten(message, it));
    case 'insert':
      return messages.toSpliced(index, 0, Buffer.from(it.bytes));
  }
}

function replaced(
  messages: readonly Buffer[],
  index: number,
  change: (message: Buffer) => Buffer,
): readonly Buffer[] {
  return messages.map((message, at) => (at === index ? change(message) : message));
}

function overwritten(message: Buffer, it: { readonly share: number; readonly bytes: Uint8Array }): Buffer {
  const changed = Buffer.from(message);
  changed.set(
    it.bytes.subarray(0, changed.length),
    Math.floor(Math.max(0, changed.length - it.bytes.length) * it.share),
  );
  return changed;
}

/** The value that `arbitrary` generates for `seed`; deterministic. */
export function generated<T>(arbitrary: fc.Arbitrary<T>, seed: number): T {
  const [value] = fc.sample(arbitrary, { seed, numRuns: 1 });
  if (value === undefined) throw new Error('Nothing was generated.');
  return value;
}
