// SQL of replaced specs.
import type { SpecVersion, VersionEntry, VersionLimits, VersionQuery } from '../../store.ts';
import { surplusSql, toVersion, toVersionEntry, VERSION_COLUMNS } from '../../version-row.ts';
import type { VersionRow } from '../../version-row.ts';
import { one, statement } from '../session.ts';
import type { Session } from '../session.ts';

const insert = statement(`INSERT INTO spec_versions (uid, ${VERSION_COLUMNS}, size, spec) VALUES ($1, $2, $3, $4, $5, $6, $7)`);
const deleteSurplus = statement(`DELETE FROM spec_versions WHERE ${surplusSql(['$1', '$2::bigint', '$3::bigint'])}`);
const deleteAll = statement('DELETE FROM spec_versions WHERE uid = $1');
// A row is never updated, so its place stays the same within the statement.
const deleteOld = statement(
  'DELETE FROM spec_versions WHERE ctid = ANY (ARRAY (SELECT ctid FROM spec_versions WHERE replaced_at < $1 ORDER BY replaced_at LIMIT $2))',
);
const selectPage = statement(
  `SELECT ${VERSION_COLUMNS} FROM spec_versions WHERE uid = $1 AND generation < $2 ORDER BY generation DESC LIMIT $3`,
);
const select = statement(`SELECT ${VERSION_COLUMNS}, spec FROM spec_versions WHERE uid = $1 AND generation = $2`);

export async function keepVersion(
  session: Session,
  { uid, ...version }: SpecVersion & { readonly uid: string },
  limits: VersionLimits,
): Promise<void> {
  const spec = JSON.stringify(version.spec);
  const { generation, writtenAt, writtenBy = null, replacedAt } = version;
  await Promise.all([
    session.run(insert, [uid, generation, writtenAt, writtenBy, replacedAt, Buffer.byteLength(spec), spec]),
    session.run(deleteSurplus, [uid, limits.number, limits.bytes]),
  ]);
}

export async function listVersions(session: Session, uid: string, { before, limit }: VersionQuery): Promise<VersionEntry[]> {
  const { rows } = await session.run<VersionRow>(selectPage, [uid, before, limit]);
  return rows.map(toVersionEntry);
}

export async function getVersion(session: Session, uid: string, generation: number): Promise<SpecVersion | undefined> {
  const row = await one(session.run<VersionRow & { spec: string }>(select, [uid, generation]));
  return row && toVersion(row);
}

export async function removeVersions(session: Session, uid: string): Promise<void> {
  await session.run(deleteAll, [uid]);
}

/** Deletes up to `limit` of those replaced before the moment, oldest first; returns how many. */
export async function pruneVersions(session: Session, replacedBefore: string, limit: number): Promise<number> {
  return (await session.run(deleteOld, [replacedBefore, limit])).count;
}
