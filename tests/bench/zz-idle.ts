import { MongoClient } from 'mongodb';
import { startStack } from '../setup/start-stack.ts';
import { readFileSync, readdirSync } from 'node:fs';
const { stack, stop } = await startStack({});
const mongo = await MongoClient.connect(stack.mongodbUri);
const admin = mongo.db('admin');
await new Promise((r) => setTimeout(r, 15000));
const cpu = () => { const m = new Map<string, number>(); for (const p of readdirSync('/proc')) { if (!/^\d+$/.test(p)) continue; try { const c = readFileSync(`/proc/${p}/cmdline`, 'utf8'); const name = /services\/(\w+)\/src\/main/.exec(c)?.[1] ?? /(mongod|nats-server)\0/.exec(c)?.[1]; if (!name || !readFileSync(`/proc/${p}/environ`,'utf8')) continue; const f = readFileSync(`/proc/${p}/stat`, 'utf8').split(') ')[1]!.split(' '); m.set(`${name} ${p}`, (Number(f[11]) + Number(f[12])) * 10); } catch {} } return m; };
const S = Number(process.argv[2] ?? 30);
const top = async () => (await admin.command({ top: 1 }))['totals'];
const oc = async () => (await admin.command({ serverStatus: 1 }));
const a = await top(), ca = cpu(), oa = await oc();
for (const d of (await admin.admin().listDatabases()).databases) if (d.name.startsWith('fairlead')) await mongo.db(d.name).command({ profile: 2 });
await new Promise((r) => setTimeout(r, S * 1000));
const b = await top(), cb = cpu(), ob = await oc();
const rows: [number, string][] = [];
for (const [ns, t] of Object.entries<any>(b)) { if (ns === 'note' || ns.includes('system.profile')) continue; const parts: string[] = []; let n = 0; for (const k of ['queries', 'getmore', 'insert', 'update', 'remove', 'commands']) { const d = t[k].count - (a[ns]?.[k].count ?? 0); if (d) { parts.push(`${k} ${(d / S).toFixed(2)}`); n += d; } } if (n) rows.push([n / S, `${ns}: ${parts.join(', ')} ms/s ${((t.total.time - (a[ns]?.total.time ?? 0)) / S / 1000).toFixed(1)}`]); }
for (const [, t] of rows.toSorted((x, y) => y[0] - x[0])) console.log(t);
console.log('opcounters/s', Object.fromEntries(Object.entries<any>(ob['opcounters']).map(([k, v]) => [k, typeof v === 'number' ? ((v - oa['opcounters'][k]) / S).toFixed(1) : ''])), 'tx/s', ['totalStarted', 'totalCommitted', 'totalAborted'].map((k) => ((ob['transactions'][k] - oa['transactions'][k]) / S).toFixed(2)));
for (const [k, v] of cb) if (v - (ca.get(k) ?? 0) > 0) console.log(k, ((v - (ca.get(k) ?? 0)) / S).toFixed(1), 'ms/s');
for (const d of (await admin.admin().listDatabases()).databases) if (d.name.startsWith('fairlead')) { const p = await mongo.db(d.name).collection('system.profile').aggregate([{ $match: { ns: { $not: /profile/ } } }, { $group: { _id: { op: '$op', ns: '$ns', cmd: { $first: { $map: { input: { $slice: [{ $objectToArray: '$command' }, 1] }, in: '$$this.k' } } }, app: '$appName', tx: { $cond: ['$command.startTransaction', 'tx', ''] } }, n: { $sum: 1 }, ms: { $sum: '$millis' } } }, { $sort: { n: -1 } }]).toArray(); for (const x of p) console.log((x['n'] / S).toFixed(2), JSON.stringify(x['_id'])); }
await mongo.close(); await stop(); process.exit(0);
