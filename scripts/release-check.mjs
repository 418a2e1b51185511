/**
 * `npm run release:check`: tests whether the package is fit to be published. It packs the package, installs it as a
 * user would, and leaves the tarball, the notes, the licences and the bill of materials in `release/`. It publishes
 * nothing.
 */
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { elsewhere, untracked, withSecrets } from './packed.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const RELEASE = join(ROOT, 'release')
const MAX_TARBALL = 800_000
const MAX_INSTALLED = 60_000_000
/** Licences that require nothing but their own text. */
const PERMISSIVE = /^(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0)$/

const read = (path) => readFileSync(join(ROOT, path), 'utf8')
const manifest = JSON.parse(read('package.json'))
const { name, version } = manifest
const npm = (cwd, ...args) =>
  execFileSync('npm', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1e8,
  })

rmSync(RELEASE, { recursive: true, force: true })
mkdirSync(RELEASE)
const installed = mkdtempSync(join(tmpdir(), 'placard-release-'))
let failures = 0

await check('version', () => {
  const locked = JSON.parse(read('package-lock.json')).version
  if (locked !== version)
    throw `package-lock.json says ${locked}, package.json ${version}. Run: npm install`
  return version
})
await check('changelog', () => {
  const sections = read('CHANGELOG.md').split(/^## /m)
  const dated = new RegExp(`^\\[${RegExp.escape(version)}\\] - \\d{4}-\\d\\d-\\d\\d\\n`)
  const section = sections.find((one) => dated.test(one))
  if (!section) throw `CHANGELOG.md has no section "## [${version}] - DATE"`
  const [, unreleased = ''] =
    sections.find((one) => one.startsWith('[Unreleased]'))?.split(']') ?? []
  if (unreleased.trim() !== '') throw `CHANGELOG.md still has entries under "Unreleased"`
  writeFileSync(join(RELEASE, 'notes.md'), section.replace(dated, '').trimStart())
  return 'dated, nothing left over'
})
await check('address', () => {
  if (!manifest.repository)
    throw 'package.json has no "repository". npm needs it for the provenance statement'
  const address = manifest.repository.url ?? manifest.repository
  const origin = elsewhere(ROOT, address)
  if (origin) throw `package.json names ${address}, but this is a clone of ${origin}`
  return address
})
let tarball = ''
let paths = []
await check('tarball', () => {
  const [packed] = JSON.parse(npm(ROOT, 'pack', '--json', '--pack-destination', RELEASE))
  tarball = join(RELEASE, packed.filename)
  paths = packed.files.map(({ path }) => path)
  const unknown = untracked(ROOT, paths)
  if (unknown.length > 0) throw `it contains untracked files: ${unknown.join(', ')}`
  const missing = targets(manifest.exports, manifest.bin, manifest.imports).filter(
    (path) => !paths.includes(path),
  )
  if (missing.length > 0) throw `it lacks ${missing.join(', ')}`
  return within(packed.size, MAX_TARBALL, `in ${paths.length} files`)
})
await check('installed', () => {
  writeFileSync(
    join(installed, 'package.json'),
    JSON.stringify({ name: 'release', version, private: true }),
  )
  npm(installed, 'install', '--no-audit', '--no-fund', tarball)
  return within(sizeOf(join(installed, 'node_modules')), MAX_INSTALLED)
})
await check('secrets', () => {
  const found = withSecrets(join(installed, 'node_modules', name), paths)
  if (found.length > 0) throw `it contains a probable Stripe secret in ${found.join(', ')}`
  return `none in ${paths.length} files`
})
await check('runs', () => {
  const program = join(installed, 'node_modules', name, manifest.bin.placard)
  const said = execFileSync(process.execPath, [program, '--version'], { encoding: 'utf8' }).trim()
  if (said !== version) throw `--version printed ${said}`
  return `${name} --version: ${said}`
})
await check('entry types', () => {
  const attw = ['exec', '--yes', '--package=@arethetypeswrong/cli@0.18.5', '--', 'attw', tarball]
  npm(installed, ...attw, '--profile', 'esm-only')
  return 'every entry resolves to its types'
})
await check('deprecated', () => {
  const old = packages().flatMap(([path, { deprecated }]) =>
    deprecated ? `${path}: ${deprecated}` : [],
  )
  if (old.length > 0) throw old.join('\n')
  return `none of ${packages().length}`
})
await check('licences', () => {
  const lines = packages().map(([path, { version, license = 'none' }]) => [license, path, version])
  writeFileSync(
    join(RELEASE, 'licences.txt'),
    `${lines.map((line) => line.join('\t')).join('\n')}\n`,
  )
  const others = lines.filter(([license]) => !PERMISSIVE.test(license))
  if (others.length > 0) throw others.map((line) => line.join(' ')).join('\n')
  return 'permissive; release/licences.txt lists them'
})
await check('bill of materials', () => {
  const bill = JSON.parse(npm(installed, 'sbom', '--sbom-format', 'cyclonedx'))
  const listed = new Set(bill.components.map((one) => one['bom-ref']))
  // Packages that are bundled into the program, and so not installed beside it, such as React.
  for (const [, name, version] of read('dist/cli/licences.txt').matchAll(/^(\S+) (\d\S+) \(/gm)) {
    const reference = `${name}@${version}`
    if (listed.has(reference)) continue
    const purl = `pkg:npm/${reference.replace(/^@/, '%40')}`
    bill.components.push({ 'bom-ref': reference, type: 'library', name, version, purl })
  }
  writeFileSync(tarball.replace(/tgz$/, 'cdx.json'), JSON.stringify(bill, null, 2))
  const { bomFormat, specVersion, components } = bill
  return `${bomFormat} ${specVersion}, ${components.length} packages, in release/`
})

rmSync(installed, { recursive: true, force: true })
console.log(
  failures === 0 ? `\n${name} ${version} is fit to be published.` : `\nFailed checks: ${failures}`,
)
process.exitCode = failures === 0 ? 0 : 1

/** Prints the result of a check on one line. If the check fails, its error says what to fix. */
async function check(what, run) {
  process.stdout.write(`${what} … `)
  try {
    console.log(await run())
  } catch (error) {
    failures++
    console.log(
      `FAILED\n  ${String(error.stderr || error.message || error)
        .trim()
        .replaceAll('\n', '\n  ')}`,
    )
  }
}

function within(bytes, limit, rest = '') {
  const said = `${kilobytes(bytes)} of ${kilobytes(limit)} ${rest}`.trim()
  if (bytes > limit) throw said
  return said
}

function kilobytes(bytes) {
  return `${Math.round(bytes / 1000).toLocaleString('en')} kB`
}

/** The installed packages, by path. */
function packages() {
  const lock = JSON.parse(
    readFileSync(join(installed, 'node_modules', '.package-lock.json'), 'utf8'),
  )
  return Object.entries(lock.packages)
}

/** The files that a manifest's fields point to. */
function targets(...fields) {
  return fields.flatMap((field) =>
    typeof field === 'string' ? field.replace(/^\.\//, '') : targets(...Object.values(field ?? {})),
  )
}

function sizeOf(path) {
  const entry = statSync(path, { throwIfNoEntry: false })
  if (!entry?.isDirectory()) return entry?.size ?? 0
  return readdirSync(path).reduce((sum, one) => sum + sizeOf(join(path, one)), 0)
}
