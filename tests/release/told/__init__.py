"""The catalogue of what releases say, by the file of the source that says it: each sentence as it begins
there, and the releases that it is true of.
"""

from tests.release.told.of_histories import OF_HISTORIES
from tests.release.told.of_ladder import OF_LADDER
from tests.release.told.of_mechanisms import OF_MECHANISMS
from tests.release.told.of_pages import OF_PAGES
from tests.release.told.of_releases import OF_RELEASES

CATALOGUE = {**OF_RELEASES, **OF_MECHANISMS, **OF_HISTORIES, **OF_LADDER, **OF_PAGES}
