import type { DatabaseSync } from 'node:sqlite';
import { contactType, dealType, invoiceType } from '../domain/record-types.ts';
import { inTransaction } from './database.ts';
import { RecordRepository } from './record.repository.ts';
import { WorkspaceRepository } from './workspace.repository.ts';
import type { Workspace } from './workspace.repository.ts';

interface SampleContact {
  readonly name: string;
  readonly email: string | null;
  readonly company: string | null;
  readonly phone: string | null;
  readonly deals?: readonly (readonly [title: string, amount: number, currency: string, stage: string])[];
  readonly invoices?: readonly (readonly [amount: number, currency: string, status: string])[];
}

const FIRST_CREATED_AT = Date.UTC(2026, 0, 5, 9, 0, 0);
const HOUR_MS = 3_600_000;

const samples: readonly (readonly [Workspace, readonly SampleContact[]])[] = [
  [
    { id: 'ws_trading', name: 'Harbour Trading' },
    [
      {
        name: 'Ada Brandt',
        email: 'ada.brandt@northwind.example',
        company: 'Northwind Shipping',
        phone: '+49 40 5550101',
        deals: [
          ['Container tracking, 40 units', 48_000, 'EUR', 'negotiation'],
          ['Tracking pilot', 3_200.5, 'EUR', 'won'],
        ],
        invoices: [[3_200.5, 'EUR', 'paid']],
      },
      {
        name: 'Bashir Haddad',
        email: 'bashir@cedarfoods.example',
        company: 'Cedar Foods',
        phone: null,
        deals: [['Cold-chain sensors', 12_750, 'USD', 'proposal']],
        invoices: [
          [1_980, 'USD', 'overdue'],
          [640, 'USD', 'sent'],
        ],
      },
      {
        name: 'Chidi Okafor',
        email: 'chidi.okafor@lagosport.example',
        company: 'Lagos Port Services',
        phone: '+234 1 5550144',
      },
      {
        name: 'Daniela Rossi',
        email: 'd.rossi@viavento.example',
        company: 'Via Vento',
        phone: '+39 010 5550177',
        deals: [['Regatta logistics', 7_400, 'EUR', 'lost']],
      },
      { name: 'Emeka Lind', email: null, company: null, phone: '+46 31 5550123' },
      {
        name: 'Farah Nasser',
        email: 'farah@100percent.example',
        company: '100% Organic_Goods',
        phone: null,
        deals: [['Warehouse subscription', 960, 'USD', 'qualified']],
        invoices: [[80, 'USD', 'draft']],
      },
    ],
  ],
  [
    { id: 'ws_lab', name: 'Harbour Lab' },
    [
      {
        name: 'Grace Park',
        email: 'grace.park@tidal.example',
        company: 'Tidal Research',
        phone: '+82 51 5550190',
        deals: [['Buoy prototype', 21_000, 'USD', 'lead']],
        invoices: [[5_250, 'USD', 'sent']],
      },
      { name: 'Henrik Aalto', email: 'henrik@saimaa.example', company: 'Saimaa Instruments', phone: null },
    ],
  ],
];

/** Fills an empty store with two workspaces of sample records; does not change any other store. */
export function seedIfEmpty(database: DatabaseSync): void {
  if (new WorkspaceRepository(database).list().length === 0) inTransaction(database, () => seed(database));
}

/** Restores the sample records, including their ids. Grants and tokens stay. */
export function resetSampleData(database: DatabaseSync): void {
  inTransaction(database, () => {
    database.exec('DELETE FROM workspace; DELETE FROM contact; DELETE FROM deal; DELETE FROM invoice;');
    database.exec("DELETE FROM sqlite_sequence WHERE name IN ('contact', 'deal', 'invoice')");
    seed(database);
  });
}

function seed(database: DatabaseSync): void {
  const workspaces = new WorkspaceRepository(database);
  const records = new RecordRepository(database);
  let hours = 0;
  // Times one hour apart, so that sorts and filters by time have different results.
  const nextTime = (): string => new Date(FIRST_CREATED_AT + HOUR_MS * hours++).toISOString();
  samples.forEach(([workspace, contacts], position) => {
    workspaces.insert(workspace, position);
    for (const { deals = [], invoices = [], ...contact } of contacts) {
      const { id = null } = records.insert(contactType, workspace.id, { ...contact, createdAt: nextTime() });
      for (const [title, amount, currency, stage] of deals) {
        const createdAt = nextTime();
        const deal = { title, amount, currency, stage, contactId: id, createdAt, updatedAt: createdAt };
        records.insert(dealType, workspace.id, deal);
      }
      for (const [amount, currency, status] of invoices) {
        records.insert(invoiceType, workspace.id, {
          contactId: id,
          amount,
          currency,
          status,
          createdAt: nextTime(),
        });
      }
    }
  });
}
