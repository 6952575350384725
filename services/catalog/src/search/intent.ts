/** Whether a person wants to see something, to do something, or to take something away. */
export type Intent = 'read' | 'write' | 'remove';

/** First words of the names of tools, and words of queries that mean the same. Other words say nothing. */
const VERBS: ReadonlyMap<string, Intent> = new Map([
  ...verbs(
    'read',
    'get list search find query read count describe report check inspect look browse fetch download export scan whoami view show see tell ' +
      'compare retrieve display lookup locate detect validate verify watch listen preview aggregate',
  ),
  ...verbs(
    'write',
    'create add insert upload save put append post send make schedule submit register log invite fork copy duplicate publish reply forward ' +
      'share notify comment update set change edit move rename assign mark approve merge complete resolve replace write build start restart ' +
      'run reschedule store import enable activate restore deploy convert accept react upsert buy rent give enrol enroll subscribe rerun ' +
      'retry promote roll reboot play fix propose hand leave generate translate render transfer issue quick open capture pause resume skip ' +
      'lock attach associate tag grade charge refund close end finish',
  ),
  ...verbs(
    'remove',
    'delete remove cancel trash unshare revoke void stop clear purge erase archive unsubscribe untag unschedule unpublish take throw withdraw ' +
      'drop discard decline reject deactivate suspend unlink detach',
  ),
]);

/** Verbs that are nouns as well: they count only as the first word of a query. */
const NOUNS = wordSet(
  'list search query report comment post issue tag mark log watch end open close share preview import export run play copy set order charge ' +
    'refund start leave look tell see put grade change book build fix',
);
const QUESTIONS = wordSet('who which when how what why where is are has have do does was were can did');
/** After one of these, the first word of a query is a verb: "bill a customer", "ring somebody". */
const DETERMINERS = wordSet('a an the my our all some somebody someone everybody everyone me up off');

/** Finds the intent of a tool by the first word of its name. */
export function intentOfName(name: string): Intent | undefined {
  return VERBS.get(/^\p{L}+/u.exec(name)?.[0].toLowerCase() ?? '');
}

/** Finds the intent of a query by its English words in lower case; undefined: unknown. */
export function intentOfQuery(words: readonly string[]): Intent | undefined {
  const [first = '', second = ''] = words;
  if (QUESTIONS.has(first)) return 'read';
  // "get a contract signed"
  if (first === 'get' && words.at(-1)?.endsWith('ed') === true) return 'write';
  const verb = VERBS.get(first);
  if (verb !== undefined) return verb;
  if (DETERMINERS.has(second)) return 'write';
  const inner = words.find((word) => VERBS.has(word) && !NOUNS.has(word));
  if (inner !== undefined) return VERBS.get(inner);
  // "unpaid invoices" says nothing, "invoices of today" is a list.
  return /[^s]s$/.test(first) ? 'read' : undefined;
}

function verbs(intent: Intent, words: string): readonly (readonly [string, Intent])[] {
  return words.split(' ').map((word) => [word, intent]);
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
