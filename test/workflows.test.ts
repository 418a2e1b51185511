import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const FILES = globSync(['.github/workflows/*.yml', 'examples/**/*.yml'], {
  cwd: ROOT,
  exclude: (path) => path.includes('node_modules'),
}).filter((file) => /^jobs:$/m.test(read(file)))

describe.each(FILES)('%s', (file) => {
  const workflow = read(file)

  it('runs actions by commit, because the holder of an account can move a tag', () => {
    const used = workflow.match(/uses: .*/g)
    expect(used).not.toBeNull()
    for (const one of used ?? [])
      expect(one).toMatch(/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('puts nothing into a script, where it could run commands', () => {
    const filled = workflow.split('\n').filter((line) => line.includes('${{'))
    expect(filled).not.toEqual([])
    for (const line of filled)
      expect(line).toMatch(
        /^ +([A-Z_]+|name|group|runs-on|node-version|image|digest|subject-(name|digest)): /,
      )
  })

  it('leaves no credential in a checkout', () => {
    const steps = workflow.split(/^ +- /m).filter((step) => step.includes('actions/checkout@'))
    for (const step of steps) expect(step).toContain('persist-credentials: false')
    expect(workflow).toMatch(/^permissions:( \{\}|\n {2}contents: read)$/m)
  })
})

describe('a release', () => {
  const [head = '', ...parts] = read('.github/workflows/release.yml').split(/^ {2}(?=\w+:$)/m)
  const jobs = Object.fromEntries(
    parts.filter((part) => part.includes('steps:')).map((part) => [part.split(':')[0], part]),
  )
  const job = (name: string) => jobs[name] ?? ''
  const may = (name: string) =>
    /permissions:\n((?: {6}.*\n)+)/.exec(job(name))?.[1]?.match(/[\w-]+: write/g) ?? []

  it('gives a job what it needs to write, and nothing where the code of packages runs beside the token', () => {
    expect(head).not.toContain('write')
    expect(Object.keys(jobs)).toEqual(['check', 'publish', 'notes', 'image', 'attestation'])
    expect(Object.keys(jobs).map(may)).toEqual([
      [],
      ['id-token: write'],
      ['contents: write'],
      ['packages: write'],
      ['attestations: write', 'id-token: write'],
    ])
    for (const name of ['publish', 'notes', 'attestation'])
      expect(job(name)).not.toMatch(/npm (ci|install|run|test)|checkout/)
  })

  it('publishes the tarball that was checked, and runs none of its scripts', () => {
    const upload = job('check').indexOf('actions/upload-artifact')
    expect(job('check').indexOf('git status --porcelain')).toBeGreaterThan(-1)
    expect(job('check').indexOf('release:check')).toBeLessThan(upload)
    expect(job('check').indexOf('git status --porcelain')).toBeLessThan(upload)
    // What tests run is too late to change it.
    expect(job('check').indexOf('npm test')).toBeGreaterThan(upload)
    expect(job('publish')).toContain('needs: check')
    expect(job('publish')).toContain('actions/download-artifact')
    expect(job('publish').match(/run: .*/g)).toEqual([
      'run: npm publish --ignore-scripts --provenance --access public ./release/*.tgz',
    ])
  })

  it('pushes the image that was tried, and says its digest', () => {
    const image = job('image')
    expect(image).toContain('needs: publish')
    expect(image.indexOf('scripts/try-image.sh')).toBeGreaterThan(-1)
    expect(image.indexOf('docker push')).toBeGreaterThan(image.indexOf('scripts/try-image.sh'))
    expect(image).not.toContain('docker build')
    expect(image).toMatch(/RepoDigests[^>]*>> "\$GITHUB_STEP_SUMMARY"/)
  })

  it('attests the very image that was pushed, by its digest', () => {
    expect(job('image')).toMatch(/docker push "\$tagged"[\s\S]*digest=%s[\s\S]*GITHUB_OUTPUT/)
    const attestation = job('attestation')
    expect(attestation).toContain('needs: image')
    expect(attestation).toMatch(/subject-digest: \$\{\{ needs\.image\.outputs\.digest \}\}/)
    expect(attestation).toMatch(/subject-name: \$\{\{ needs\.image\.outputs\.image \}\}/)
  })
})
