// SQL of replaced specs.
import type { SpecVersion, VersionEntry, VersionLimits, VersionQuery } from '../../store.ts';
import { surplusSql, toVersion, toVersionEntry, VERSION_COLUMNS } from '../../version-row.ts';
import type { VersionRow } from '../../version-row.ts';
import type { Connection } from '../connection.ts';

export function versionStatements(connection: Connection) {
  const insert = connection.prepare(`INSERT INTO spec_versions (uid, ${VERSION_COLUMNS}, size, spec) VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const deleteSurplus = connection.prepare(`DELETE FROM spec_versions WHERE ${surplusSql(['?1', '?2', '?3'])}`);
  const deleteOlder = connection.prepare(
    `DELETE FROM spec_versions WHERE uid = ?1 AND generation <=
      (SELECT generation FROM spec_versions WHERE uid = ?1 ORDER BY generation DESC LIMIT 1 OFFSET ?2)`,
  );
  const selectBytes = connection.prepare<{ bytes: number }>('SELECT sum(size) AS bytes FROM spec_versions WHERE uid = ?');
  const deleteAll = connection.prepare('DELETE FROM spec_versions WHERE uid = ?');
  const deleteOld = connection.prepare(
    'DELETE FROM spec_versions WHERE rowid IN (SELECT rowid FROM spec_versions WHERE replaced_at < ? ORDER BY replaced_at LIMIT ?)',
  );
  const selectPage = connection.prepare<VersionRow>(
    `SELECT ${VERSION_COLUMNS} FROM spec_versions WHERE uid = ? AND generation < ? ORDER BY generation DESC LIMIT ?`,
  );
  const select = connection.prepare<VersionRow & { spec: string }>(
    `SELECT ${VERSION_COLUMNS}, spec FROM spec_versions WHERE uid = ? AND generation = ?`,
  );

  return {
    keep(uid: string, version: SpecVersion, limits: VersionLimits): void {
      const spec = JSON.stringify(version.spec);
      const { generation, writtenAt, writtenBy = null, replacedAt } = version;
      insert.run(uid, generation, writtenAt, writtenBy, replacedAt, Buffer.byteLength(spec), spec);
      deleteOlder.run(uid, limits.number);
      // The running total costs more than the rest of the write, and is needed for objects of large specs only.
      if ((selectBytes.get(uid)?.bytes ?? 0) > limits.bytes) deleteSurplus.run(uid, limits.number, limits.bytes);
    },
    list: (uid: string, { before, limit }: VersionQuery): VersionEntry[] => selectPage.all(uid, before, limit).map(toVersionEntry),
    get(uid: string, generation: number): SpecVersion | undefined {
      const row = select.get(uid, generation);
      return row && toVersion(row);
    },
    remove(uid: string): void {
      deleteAll.run(uid);
    },
    /** Deletes up to `limit` of those replaced before the moment, oldest first; returns how many. */
    prune: (replacedBefore: string, limit: number): number => deleteOld.run(replacedBefore, limit),
  };
}
